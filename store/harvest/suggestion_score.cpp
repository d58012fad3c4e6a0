#include "store/harvest/suggestion_score.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/code_names.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/text_words.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace memd::harvest {
namespace {

constexpr std::size_t kFewWords = 5;
constexpr std::size_t kFewWordsOfAFix = 4;
constexpr std::int64_t kSoon = 12;      // events
constexpr std::size_t kCutBytes = 280;  // bytes; a sentence of this length was probably cut
std::size_t code_names(std::string_view text) {
  std::set<std::string, std::less<>> names;
  continuity::for_each_code_name(text, [&](std::string_view name) { names.emplace(name); });
  return names.size();
}

// Returns whether the text contains terminal graphics: a paste, not a user's own words.
bool is_paste(std::string_view text) {
  for (const std::string_view mark : {"⏺", "⎿", "│", "└", "❯", " v * "})
    if (text.find(mark) != std::string_view::npos) return true;
  return false;
}

bool is_fix(ObservationType type) { return type == ObservationType::solution || type == ObservationType::bugfix; }
bool is_problem(ObservationType type) {
  return type == ObservationType::problem || type == ObservationType::discovery || type == ObservationType::warning;
}

// Two sentences have the same subject if they share one code name or this many words.
constexpr std::ptrdiff_t kSharedWords = 2;
constexpr std::ptrdiff_t kPairsOfAWord = 2;

// The subject of a sentence.
struct Subject {
  std::set<std::string, std::less<>> names;  // code names, and anything between backticks
  std::set<std::string, std::less<>> words;  // other informative words
  std::set<std::string, std::less<>> pairs;  // pairs of characters, for scripts that are indexed in pairs
  std::set<std::string, std::less<>> pale;   // less informative words: "file"
};

// Returns the word without its ending: the plural in English, everything after five letters in Russian.
std::string bare_word(std::string word) {
  constexpr std::size_t kRussianStem = 10;  // bytes
  const bool is_russian = !word.empty() && (word[0] == '\xD0' || word[0] == '\xD1');
  if (is_russian)
    word.resize(std::min(word.size(), kRussianStem));
  else if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss"))
    word.pop_back();
  return word;
}

Subject subject_of(std::string_view text) {
  Subject out;
  continuity::for_each_code_name(text,
                                 [&](std::string_view name) { out.names.insert(bare_word(ascii::lowered(name))); });
  bool in_code = false;
  std::size_t looked = 0;
  for_each_word(text, [&](const TextWord& word) {
    for (; looked < word.at; ++looked)
      if (text[looked] == '`') in_code = !in_code;
    const bool is_number = std::all_of(word.text.begin(), word.text.end(), ascii::is_digit);
    if (word.is_pair ? word.text.size() <= 4 : word.text.size() < 3 || is_number || is_stop_word(word.text)) return;
    const bool is_pale = !in_code && !word.is_pair && words(WordClass::filler).has(word.text);
    (word.is_pair ? out.pairs : in_code ? out.names : is_pale ? out.pale : out.words).insert(bare_word(word.text));
  });
  return out;
}

// `closely`: less informative words do not count.
bool speak_of_the_same(std::string_view a, std::string_view b, bool closely) {
  const Subject one = subject_of(a);
  const Subject other = subject_of(b);
  for (const std::string& name : one.names)
    if (other.names.contains(name)) return true;
  const auto holds = [&](const std::string& word) { return other.names.contains(word) || other.words.contains(word); };
  const auto shared = [](const auto& mine, const auto& others) {
    return std::count_if(mine.begin(), mine.end(), [&](const std::string& word) { return others.contains(word); });
  };
  const auto words = std::count_if(one.names.begin(), one.names.end(), holds) +
                     std::count_if(one.words.begin(), one.words.end(), holds);
  return words + shared(one.pairs, other.pairs) / kPairsOfAWord + (closely ? 0 : shared(one.pale, other.pale)) >=
         kSharedWords;
}

// Returns whether a sentence describes a fix. "go build works after edits" does not.
bool tells_something(const Observation& o) { return o.tool.empty() && content_words(o.content) >= kFewWordsOfAFix; }

class Scale {
 public:
  void add(double points, std::string_view reason = {}) {
    out_.score += points;
    if (points > 0 && !reason.empty()) out_.reasons.emplace_back(reason);
  }
  SuggestionScore take() { return std::move(out_); }

 private:
  SuggestionScore out_;
};

void weigh_decision(const Observation& o, Scale& scale) {
  const Decision decision = o.decision.value_or(Decision());
  const bool by_person = decision.by == DecidedBy::user;
  if (by_person)
    scale.add(decision.kind == DecisionKind::reversal ? 0.5 : 1.0, "a person decided");
  else
    scale.add(decision.kind == DecisionKind::reversal ? 0.0 : 0.4);
  if (o.reversed_by) scale.add(-3);
  if (!decision.reason.empty() && content_words(decision.reason) >= 3) scale.add(0.7, "the reason was given");
  if (!decision.rejected.empty() && !decision.chosen.empty()) scale.add(0.5, "an alternative was rejected");
  if (decision.kind == DecisionKind::answer) {
    const auto colon = decision.sentence.rfind("?: ");
    const auto split =
        std::min(colon == std::string::npos ? decision.sentence.find(": ") : colon + 1, decision.sentence.size());
    const std::string_view question = std::string_view(decision.sentence).substr(0, split);
    const std::string_view answer = std::string_view(decision.sentence).substr(split);
    const bool offered = cues().has(question, Cue::offering | Cue::offer | Cue::routine);
    if (content_words(answer) < 2) scale.add(-0.9);  // "yes" to an offered next step
    if (answer.find('?') != std::string_view::npos) scale.add(-0.8);
    if (offered)
      scale.add(-0.7);
    else if (answer.find("(Recommended)") != std::string_view::npos || content_words(answer) >= 4)
      scale.add(0.6, "an answer to a design question");
  } else if (o.content.find('?') != std::string::npos) {
    scale.add(-0.6);
  }
}

void weigh_finding(const Material& m, std::size_t at, Scale& scale) {
  const Observation& o = m.observations[at];
  if (!o.tool.empty()) scale.add(-2);
  if (is_problem(o.type)) {
    scale.add(o.type == ObservationType::problem ? 0.5 : 0.8, "the cause was found");
    if (fix_of(m, at)) scale.add(0.8, "the fix was described");
  } else if (is_fix(o.type)) {
    scale.add(0.4);
    if (problem_of(m, at)) scale.add(0.8, "the cause was described");
  } else if (o.type == ObservationType::pattern) {
    scale.add(1.5, "a rule set by a person");
  } else {
    scale.add(-0.5);
  }
  if (m.tests_passed) scale.add(0.4, "tests passed");
}

}  // namespace

// Prefers no fix to a wrong one. A solution that is the only one stated with the problem or soon after it is its fix.
// Otherwise looks for a fix with the same subject in the next message that contains any.
std::optional<std::size_t> fix_of(const Material& m, std::size_t problem) {
  const Observation& p = m.observations[problem];
  if (!is_problem(p.type)) return std::nullopt;
  std::vector<std::size_t> fixes;  // of a single message
  for (std::size_t i = problem + 1; i < m.observations.size(); ++i) {
    const Observation& o = m.observations[i];
    if (!fixes.empty() && o.event_seq != m.observations[fixes.front()].event_seq) break;
    if (is_problem(o.type) && fixes.empty()) return std::nullopt;  // the following fixes belong to that problem
    if (is_fix(o.type) && tells_something(o)) fixes.push_back(i);
  }
  if (fixes.empty()) return std::nullopt;
  const Observation& first = m.observations[fixes.front()];
  const bool is_soon = p.event_seq && first.event_seq && *first.event_seq - *p.event_seq <= kSoon;
  if (is_soon && fixes.size() == 1 && first.type == ObservationType::solution) return fixes.front();
  const bool closely = fixes.size() > 1;
  std::erase_if(fixes,
                [&](std::size_t i) { return !speak_of_the_same(p.content, m.observations[i].content, closely); });
  return fixes.size() == 1 ? std::optional(fixes.front()) : std::nullopt;
}

std::optional<std::size_t> problem_of(const Material& m, std::size_t fix) {
  if (!is_fix(m.observations[fix].type)) return std::nullopt;
  for (std::size_t i = fix; i-- > 0;)
    if (fix_of(m, i) == fix) return i;
  return std::nullopt;
}

SuggestionScore score_suggestion(const Material& m, std::size_t at) {
  const Observation& o = m.observations[at];
  Scale scale;
  if (o.type == ObservationType::decision)
    weigh_decision(o, scale);
  else
    weigh_finding(m, at, scale);
  const bool by_person = o.decision && o.decision->by == DecidedBy::user;
  const CueSet stands = cues().find(o.content, Cue::lasting | Cue::passing);
  if (stands.has(Cue::lasting)) scale.add(by_person ? 0.9 : 0.6, "it is meant to last");
  if (stands.has(Cue::passing)) scale.add(-1.0);
  const std::size_t names = code_names(o.content);
  if (names > 0) scale.add(names > 1 ? 0.5 : 0.3, "it names code");
  const std::size_t words = content_words(o.content);
  if (words < kFewWords) scale.add(-1.0);
  if (words >= 9) scale.add(0.3);
  if (o.content.size() > kCutBytes || o.content.ends_with("…")) scale.add(-0.6);
  if (o.content.ends_with(':')) scale.add(-0.8);
  if (is_paste(o.content)) scale.add(-3);
  if (m.exchange.abandoned_for != 0) scale.add(-1.5);
  if (!m.commits.empty()) scale.add(0.3, "it was committed");
  if (!m.files.empty()) scale.add(0.2);
  return scale.take();
}

std::optional<std::size_t> best_observation(const Material& m) {
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t i = 0; i < m.observations.size(); ++i) {
    const auto type = m.observations[i].type;
    if (type == ObservationType::success || type == ObservationType::feature || !m.observations[i].tool.empty())
      continue;
    const double score = score_suggestion(m, i).score;
    if (!best || score > most) {
      best = i;
      most = score;
    }
  }
  return best;
}

}  // namespace memd::harvest

#include "store/insight/topics/topic_story.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/reflected_name.hpp"
#include "store/insight/summary/directions.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <unordered_set>

namespace memd::topics {
namespace {

constexpr std::size_t kReadOfMessage = 12 * 1024;
constexpr std::size_t kLongestSentence = 600;

struct Sentence {
  std::string text;
  TurnKind kind = TurnKind::mention;
  double score = 0;
  std::size_t exchange = 0;
  std::vector<std::uint64_t> terms;
};

double weight_of(TurnKind kind) {
  switch (kind) {
    case TurnKind::reversal: return 2.6;
    case TurnKind::direction: return 2.5;
    case TurnKind::fix: return 2.2;
    case TurnKind::change: return 1.2;
    case TurnKind::problem: return 1.0;
    case TurnKind::question: return 0.8;
    case TurnKind::mention: return 0;
  }
  return 0;
}

TurnKind kind_of(std::string_view text, bool by_user) {
  const bool asked = ends_in_question_mark(text);
  if (asked) return by_user ? TurnKind::question : TurnKind::mention;
  const CueSet found =
      cues().find(text, Cue::reversal | Cue::fix | Cue::fault | Cue::change | Cue::decided | Cue::settled);
  if (found.has(Cue::reversal)) return TurnKind::reversal;
  if (by_user && (found.has(Cue::decided) || found.has(Cue::settled) || is_direction(text))) return TurnKind::direction;
  if (found.has(Cue::fix)) return TurnKind::fix;
  if (found.has(Cue::fault)) return TurnKind::problem;
  return !by_user && found.has(Cue::change) ? TurnKind::change : TurnKind::mention;
}

class Teller {
 public:
  explicit Teller(std::string_view topic) {
    const auto terms = content_terms(topic);
    topic_.insert(terms.begin(), terms.end());
  }

  StoryTurn session(std::span<const StoryExchange> all, std::size_t begin, std::size_t end) {
    sentences_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      read(all[i].user_message, i, true);
      read(all[i].assistant_response, i, false);
    }
    StoryTurn out{all[begin].session, begin, TurnKind::mention, {}};
    const auto best = std::max_element(sentences_.begin(), sentences_.end(),
                                       [](const Sentence& a, const Sentence& b) { return a.score < b.score; });
    if (best != sentences_.end()) {
      out.exchange = best->exchange;
      out.kind = best->kind;
      out.text = shortened(std::move(best->text), kTurnBytes);
    }
    for (const Sentence& s : sentences_)
      known_.insert(s.terms.begin(), s.terms.end());
    first_ = false;
    return out;
  }

 private:
  void read(std::string_view text, std::size_t exchange, bool by_user) {
    std::size_t position = 0;
    for (const TextUnit& unit : split_units(text.substr(0, kReadOfMessage))) {
      if (unit.kind == UnitKind::code || unit.kind == UnitKind::table || unit.kind == UnitKind::heading) continue;
      if (unit.text.size() > kLongestSentence || unit.text.front() == '<') continue;
      judge(plain_sentence(unit.text), exchange, by_user, position++);
    }
  }

  void judge(std::string text, std::size_t exchange, bool by_user, std::size_t position) {
    Sentence s;
    s.exchange = exchange;
    s.terms = content_terms(text);
    if (s.terms.empty()) return;
    s.kind = kind_of(text, by_user);
    const auto count = [&](const std::unordered_set<std::uint64_t>& set) {
      return static_cast<double>(
          std::count_if(s.terms.begin(), s.terms.end(), [&](std::uint64_t t) { return set.contains(t); }));
    };
    const auto terms = static_cast<double>(s.terms.size());
    const double on_topic = topic_.empty() ? 0 : std::min(1.0, count(topic_) / static_cast<double>(topic_.size()));
    const double new_share = known_.empty() ? 1 : 1 - count(known_) / terms;
    // A decision or fix on another subject is not part of the topic's story.
    s.score = weight_of(s.kind) * (0.3 + 0.7 * on_topic) + 2.0 * on_topic + 1.5 * new_share * std::min(1.0, terms / 5) +
              0.3 * cue_score(text);
    if (first_ && by_user && position == 0) s.score += 0.8;  // the first prompt
    if (text.size() < 24) s.score -= 1.2;
    s.text = std::move(text);
    sentences_.push_back(std::move(s));
  }

  std::unordered_set<std::uint64_t> topic_;
  std::unordered_set<std::uint64_t> known_;  // terms of earlier sessions
  std::vector<Sentence> sentences_;          // of this session
  bool first_ = true;
};

}  // namespace

std::string_view to_string(TurnKind kind) { return reflect::enum_name(kind); }

std::vector<StoryTurn> story_of(std::span<const StoryExchange> exchanges, std::string_view topic) {
  std::vector<StoryTurn> out;
  Teller teller(topic);
  for (std::size_t begin = 0; begin < exchanges.size();) {
    std::size_t end = begin + 1;
    while (end < exchanges.size() && exchanges[end].session == exchanges[begin].session)
      ++end;
    out.push_back(teller.session(exchanges, begin, end));
    begin = end;
  }
  return out;
}

}  // namespace memd::topics

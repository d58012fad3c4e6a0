// The user's wishes: the goal and the constraints.
#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/sentences.hpp"
#include "store/insight/continuity/turn_work.hpp"
#include "store/insight/continuity/weights.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <utility>

namespace memd::continuity {
namespace {

constexpr std::size_t kGoalBytes = 700;
constexpr std::size_t kFirstGoalBytes = 360;
constexpr std::size_t kLastWordBytes = 160;
constexpr std::size_t kConstraints = 16;
constexpr std::size_t kReadOfWishes = 12 * 1024;
constexpr std::size_t kLongPrompt = 1500;  // bytes typed: a plan, a paste or a command's template
constexpr double kPastedPrompt = 0.2;      // weight of a long first prompt: not all of it are wishes
constexpr std::size_t kAsked = 2;          // newest requests; what an older one asked for is done or given up
constexpr std::size_t kBrief = 200;        // bytes of a first request that says what the session is for
constexpr double kWhileWorking = 1.6;      // weight of an interruption: it corrects the work

constexpr std::size_t kShortOrder = 80;  // bytes; a shorter order is repeated next to the goal that contains it

std::string_view from_first_word(std::string_view s) {
  while (!s.empty() && !ascii::is_alnum(s.front()) && s.front() != '\'' && !ascii::is_non_ascii(s.front()))
    s.remove_prefix(1);
  return s;
}

bool opens_a_clause(std::string_view sentence, Cue cue) {
  while (!sentence.empty()) {
    const auto end = std::min(sentence.find_first_of(",;:("), sentence.size());
    std::string_view clause = from_first_word(sentence.substr(0, end));
    for (auto joint = cues().opening(clause, Cue::joint); joint && joint->end < clause.size();
         joint = cues().opening(clause, Cue::joint))
      clause = from_first_word(clause.substr(joint->end));
    const auto opening = cues().opening(clause, cue);
    if (opening && clause.find_first_not_of(" .!", opening->end) != std::string_view::npos)
      return true;  // not "…, please."
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return false;
}

// Returns whether the line is from a diff, a log, a table, a compiler or an agent's screen.
bool is_pasted(std::string_view sentence) {
  if (shows_screen(sentence)) return true;
  if (std::string_view("+>|/=<{[#").find(sentence.front()) != std::string_view::npos) return true;
  for (std::size_t i = 1; i + 1 < sentence.size(); ++i)
    if (sentence[i] == ':' && ascii::is_digit(sentence[i - 1]) && ascii::is_digit(sentence[i + 1])) return true;
  return false;
}

// "Don't revert those unless I say so": of what, the text around it tells.
bool points_elsewhere(std::string_view sentence) {
  return cues().has(sentence.substr(0, sentence.find_first_of(",;:(")), Cue::points);
}

// Returns the binding force of a user's sentence; 0: not binding.
double force_of(std::string_view sentence) {
  const CueSet found = cues().find(
      sentence, Cue::binding | Cue::limits | Cue::wished | Cue::narrative | Cue::asking | Cue::asked | Cue::supposed);
  const bool binds = found.has(Cue::binding) && !found.has(Cue::narrative);
  if (sentence.ends_with('?') || found.has(Cue::asking) || points_elsewhere(sentence)) return 0;
  if (found.has(Cue::narrative) || found.has(Cue::asked) || found.has(Cue::supposed)) return 0;
  if (binds) return 1;
  return found.has(Cue::limits) || found.has(Cue::wished) || opens_a_clause(sentence, Cue::order) ? 0.45 : 0;
}

// "I want a list of macros": what is asked for once, other than a rule or a limit.
bool asks_for_work(std::string_view sentence) {
  return cues().has(sentence, Cue::wished) && !cues().has(sentence, Cue::binding | Cue::limits) &&
         !opens_a_clause(sentence, Cue::order) && values_in(sentence) == 0;
}

bool is_part_of_goal(const WorkingState& state, const std::string& normalized, double force) {
  return std::any_of(state.goal.begin(), state.goal.end(), [&](const ExtractedSentence& goal) {
    const std::string said = normalized_sentence(goal.text);
    const bool order_apart = force >= 1 && normalized.size() <= kShortOrder && said.size() > normalized.size();
    return !order_apart && said.find(normalized) != std::string::npos;
  });
}

// Returns the sentence that a "yes" answers: the agent's last question or announcement; empty if it asks which way to
// go.
std::string last_offer(std::string_view said) {
  constexpr CueSet kUnclear = Cue::alternatives | Cue::asking | Cue::points;
  std::string out;
  for_each_sentence(said, 12, 400, [&](std::string_view sentence) {
    if (ends_in_question_mark(sentence) || cues().has(sentence, Cue::offer | Cue::announced))
      out = cues().has(sentence, kUnclear) ? "" : plain_sentence(sentence, kLastWordBytes);
  });
  return out;
}

// Returns what a person typed. The template of a command, a document that begins with a heading, quotes it in a block
// below: the rest of it is the same each time.
std::string_view typed(std::string_view prompt) {
  constexpr std::size_t kHeading = 80;
  if (!prompt.starts_with('#')) return prompt;
  const auto open = prompt.substr(0, kHeading).find("\n```");
  if (open == std::string_view::npos) return prompt;
  const auto begin = prompt.find('\n', open + 1);
  const auto end = begin == std::string_view::npos ? begin : prompt.find("\n```", begin);
  return end == std::string_view::npos ? prompt : ascii::trimmed(prompt.substr(begin, end - begin));
}

// Returns the prompt with "[code]" in place of its fenced blocks.
std::string without_code_blocks(std::string_view prompt) {
  std::string out;
  FenceTracker fences;
  for (std::size_t at = 0; at < prompt.size();) {
    const std::size_t end = std::min(prompt.find('\n', at), prompt.size());
    const bool inside = fences.is_open();
    fences.line(prompt.substr(at, end - at));
    if (!inside && fences.is_open())
      out += "[code]\n";
    else if (!inside)
      out += prompt.substr(at, end + 1 - at);
    at = end + 1;
  }
  return out;
}

// Returns whether the prompt only asks for information and requests no work. A later question needs no word that begins
// one: "I see four files?"
bool only_asks(std::string_view prompt, bool is_later) {
  constexpr std::size_t kLongestQuestion = 200;
  prompt = ascii::trimmed(prompt.substr(0, prompt.find("[code]")));
  if (prompt.size() > kLongestQuestion || opens_a_clause(prompt, Cue::request)) return false;
  if (!is_later) return ends_in_question_mark(prompt) && cues().opening(prompt, Cue::asking);
  bool asks = ends_in_question_mark(prompt);
  for_each_sentence(prompt, 1, kLongestQuestion,
                    [&](std::string_view sentence) { asks = asks && ends_in_question_mark(sentence); });
  return asks;
}

// Returns whether the prompt begins with a line of a shell: a paste that says what happened.
bool shows_terminal(std::string_view prompt) { return prompt.starts_with("❯") || prompt.starts_with("➜"); }

// "/review": a command without its object.
bool is_bare_command(std::string_view prompt) {
  return prompt.starts_with('/') && prompt.find_first_of(" \n") == std::string_view::npos;
}

bool is_words_of_client(std::string_view text) {
  return text.starts_with('<') || text.starts_with("[Request interrupted") || text.starts_with("Caveat:");
}

// The requests of a session, by what was done about them.
class Requests {
 public:
  explicit Requests(const SessionPast& past)
      : past_(past),
        work_(work_of_turns(past)),
        present_(begin_of_present_work(past)),
        agent_works_(std::ranges::any_of(work_, &TurnWork::works)) {}

  // Returns whether the agent only answered it and was asked something else since.
  bool was_answered(const PastText& request) const {
    const TurnWork& turn = work_[request.exchange];
    if (!turn.is_loaded || request.exchange + 1 == past_.exchanges.size()) return false;
    return turn.works ? ends_in_question_mark(ascii::trimmed(request.text)) && !turn.edits && !turn.commits
                      : agent_works_;
  }

  // Returns whether the first request is still a goal when `later` others followed: a brief or a limit holds, another
  // request is done when others have come, and all end when they are committed or the session turns to other work.
  bool holds(const PastText& first, std::size_t later) const {
    const std::size_t size = typed(first.text).size();
    if (first.exchange < present_ || (work_[first.exchange].commits && size < kLongPrompt)) return false;
    return later <= kAsked || size >= kBrief || cues().has(first.text, Cue::binding | Cue::limits);
  }

 private:
  const SessionPast& past_;
  const std::vector<TurnWork> work_;
  const std::size_t present_;  // index of an exchange
  const bool agent_works_;     // in any exchange
};

}  // namespace

double binding_force(std::string_view sentence) {
  if (words_in(normalized_sentence(sentence)) < 3 || is_pasted(sentence) || announces(sentence)) return 0;
  return force_of(sentence);
}

void find_goal(const SessionPast& past, WorkingState& out) {
  const Requests requests(past);
  std::size_t later = 0;  // requests after the first
  const PastText* now = nullptr;
  const PastText* first = nullptr;
  const PastText* last = nullptr;
  const PastText* agent = nullptr;
  const PastText* question = nullptr;  // used if there is no goal
  const PastText* agreed = nullptr;    // the agent's message before a last prompt that only says to go on
  for (const PastText& t : past.texts) {
    if (t.speaker == Speaker::agent) agent = &t;
    if (t.speaker == Speaker::agent || is_words_of_client(t.text)) continue;
    last = &t;
    agreed = is_continue_prompt(typed(t.text)) ? agent : nullptr;
    const bool is_shell = t.speaker == Speaker::user && past.exchanges[t.exchange].origin == Origin::shell;
    if (is_shell || is_continue_prompt(typed(t.text))) continue;
    later += first != nullptr;
    if (shows_terminal(t.text) || only_asks(without_code_blocks(typed(t.text)), first != nullptr) ||
        requests.was_answered(t)) {
      question = &t;
      continue;
    }
    if (first == nullptr && t.speaker == Speaker::user) first = &t;
    now = &t;
  }
  const auto add = [&](const PastText* t, std::size_t bytes) {
    if (t != nullptr)
      out.goal.push_back({shortened(without_code_blocks(typed(t->text)), bytes), id_of(past, t->exchange), 1});
  };
  add(now != nullptr ? now : question, kGoalBytes);
  if (first != now && first != nullptr && !is_bare_command(ascii::trimmed(first->text)) &&
      requests.holds(*first, later))
    add(first, kFirstGoalBytes);
  if (agreed == nullptr) return;
  if (std::string offer = last_offer(agreed->text); !offer.empty())
    out.goal.push_back({"agreed: " + offer, id_of(past, last->exchange), 1});
}

void find_constraints(const SessionPast& past, WorkingState& out) {
  bool is_first = true;
  for (const PastText& t : past.texts) {
    if (t.speaker == Speaker::agent || is_words_of_client(t.text)) continue;
    const bool hands_over = std::exchange(is_first, false);
    if (cues().opening(t.text, Cue::plan_told)) continue;  // its sentences are steps
    double weight = decay(t.age, kToldHalfLife);
    if (typed(t.text).size() > kLongPrompt) {
      if (!hands_over) continue;
      weight *= kPastedPrompt;
    }
    if (t.speaker == Speaker::meanwhile) weight *= kWhileWorking;
    const bool is_old = t.exchange + kAsked < past.exchanges.size();
    for_each_sentence(typed(t.text).substr(0, kReadOfWishes), 12, 320, [&](std::string_view sentence) {
      const double force = binding_force(sentence);
      if (force == 0 || (is_old && asks_for_work(sentence))) return;
      if (is_part_of_goal(out, normalized_sentence(sentence), force)) return;
      out.constraints.push_back({plain_sentence(sentence, 240), id_of(past, t.exchange), weight * force});
    });
  }
  keep_best(out.constraints, kConstraints);
}

}  // namespace memd::continuity

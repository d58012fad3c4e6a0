// What the person wants: the goal, and what is to be kept to.
#include "schemas/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/language_cues.hpp"
#include "store/insight/continuity/told_sentences.hpp"
#include "store/insight/continuity/weights.hpp"

#include <algorithm>
#include <array>

namespace memd::continuity {
namespace {

constexpr std::size_t kGoalBytes = 700;
constexpr std::size_t kFirstGoalBytes = 360;
constexpr std::size_t kLastWordBytes = 160;
constexpr std::size_t kConstraints = 16;
constexpr std::size_t kReadOfPrompt = 12 * 1024;
constexpr double kPastedPrompt = 0.2;  // a long one is a plan or a paste, its sentences are not all wishes
constexpr double kWhileWorking = 1.6;  // words that interrupt the work correct it

constexpr std::size_t kShortOrder = 80;  // bytes; worth saying again beside the goal it stands in

// Forbid or demand, wherever they stand.
constexpr std::array<std::string_view, 17> kStrong{
    " don't ",    " dont ",      " do not ",  " never ",       " always ",     " must ",
    " mustn't ",  " make sure ", " ensure ",  " shouldn't ",   " should not ", " no need ",
    " not want ", " no longer ", " instead ", " rather than ", " has to be "};
// Tell what somebody knows, did or meets with.
constexpr std::array<std::string_view, 19> kNarrative{
    " i don't think ", " i don't know ", " i don't see ", " i don't get ",  " i don't understand ",
    " i didn't ",      " i did not ",    " never mind ",  " they don't ",   " i never ",
    " we never ",      " it never ",     " it always ",   " was never ",    " we got ",
    " we don't ",      " i do not ",     " where we ",    " the issue was "};
constexpr std::array<std::string_view, 10> kWishes{" should ",   " need to ",       " needs to ", " have to ",
                                                   " i want ",   " we want ",       " i'd like ", " i'd prefer",
                                                   " i prefer ", " i would prefer "};
// At the beginning of a clause.
constexpr std::array<std::string_view, 8> kOrders{" use ",  " keep ",  " avoid ",  " stop ",
                                                  " only ", " leave ", " prefer ", " please "};
constexpr std::array<std::string_view, 13> kAsking{" should we ", " are we ", " is it ",   " is the ", " what ",
                                                   " why ",       " how ",    " does ",    " do we ",  " would it ",
                                                   " q ",         " can we ", " is there "};
constexpr std::array<std::string_view, 6> kRequests{" can you ",  " could you ", " can we ",
                                                    " could we ", " would you ", " please "};

template <std::size_t N>
bool opens_with(std::string_view spoken, const std::array<std::string_view, N>& openings) {
  return std::any_of(openings.begin(), openings.end(), [&](std::string_view o) { return spoken.starts_with(o); });
}

bool opens_a_clause(std::string_view sentence) {
  while (!sentence.empty()) {
    const auto end = std::min(sentence.find_first_of(",;:("), sentence.size());
    std::string clause = spoken_form(sentence.substr(0, end));
    for (const std::string_view joint : {" and ", " but ", " so ", " just ", " also ", " then ", " please "})
      if (clause.starts_with(joint) && clause.size() > joint.size()) clause.erase(0, joint.size() - 1);
    if (opens_with(clause, kOrders)) return true;
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return false;
}

// Lines of a diff, a log, a table or a compiler.
bool is_pasted(std::string_view sentence) {
  if (std::string_view("+>|/=<{[#").find(sentence.front()) != std::string_view::npos) return true;
  for (std::size_t i = 1; i + 1 < sentence.size(); ++i)
    if (sentence[i] == ':' && ascii::is_digit(sentence[i - 1]) && ascii::is_digit(sentence[i + 1])) return true;
  return false;
}

double force_in_other_languages(std::string_view spoken) {
  if (has_cue(spoken, cues::kAsked) || has_cue(spoken, cues::kSupposed)) return 0;
  return has_cue(spoken, cues::kBinding) ? 1 : has_cue(spoken, cues::kWished) ? 0.45 : 0;
}

// How much a sentence of a person binds; 0: not at all.
double force_of(std::string_view sentence, const std::string& spoken) {
  const bool strong = has_cue(spoken, kStrong) && !has_cue(spoken, kNarrative);
  if (sentence.ends_with('?') || opens_with(spoken, kAsking)) return strong && opens_with(spoken, kRequests) ? 0.5 : 0;
  if (strong) return 1;
  if (has_cue(spoken, kNarrative)) return 0;
  return has_cue(spoken, kWishes) || opens_a_clause(sentence) ? 0.45 : force_in_other_languages(spoken);
}

bool is_told_by_goal(const WorkingState& state, const std::string& spoken, double force) {
  return std::any_of(state.goal.begin(), state.goal.end(), [&](const Told& goal) {
    const std::string said = spoken_form(goal.text);
    const bool order_apart = force >= 1 && spoken.size() <= kShortOrder && said.size() > spoken.size();
    return !order_apart && said.find(spoken) != std::string::npos;
  });
}

bool is_words_of_client(std::string_view text) {
  return text.starts_with('<') || text.starts_with("[Request interrupted") || text.starts_with("Caveat:");
}

}  // namespace

double binding_force(std::string_view sentence) {
  const std::string spoken = spoken_form(sentence);
  if (words_in(spoken) < 3 || is_pasted(sentence) || sentence.ends_with(':')) return 0;
  return force_of(sentence, spoken);
}

void find_goal(const SessionPast& past, WorkingState& out) {
  const PastText* now = nullptr;
  const PastText* first = nullptr;
  const PastText* last = nullptr;
  for (const PastText& t : past.texts) {
    if (t.speaker == Speaker::agent || is_words_of_client(t.text)) continue;
    last = &t;
    if (is_go_ahead(t.text)) continue;
    if (first == nullptr && t.speaker == Speaker::user) first = &t;
    now = &t;
  }
  const auto add = [&](const PastText* t, std::size_t bytes) {
    if (t != nullptr) out.goal.push_back({shortened(t->text, bytes), id_of(past, t->exchange), 1});
  };
  if (now == nullptr) now = last;
  add(now, kGoalBytes);
  if (first != now) add(first, kFirstGoalBytes);
  if (last != now && last != first) add(last, kLastWordBytes);
}

void find_constraints(const SessionPast& past, WorkingState& out) {
  for (const PastText& t : past.texts) {
    if (t.speaker == Speaker::agent || is_words_of_client(t.text)) continue;
    double weight = decay(t.age, kToldHalfLife);
    if (t.text.size() > 1500) weight *= kPastedPrompt;
    if (t.speaker == Speaker::meanwhile) weight *= kWhileWorking;
    for_each_sentence(t.text.substr(0, kReadOfPrompt), 12, 320, [&](std::string_view sentence) {
      const double force = binding_force(sentence);
      if (force == 0 || is_told_by_goal(out, spoken_form(sentence), force)) return;
      out.constraints.push_back({plain_sentence(sentence, 240), id_of(past, t.exchange), weight * force});
    });
  }
  keep_best(out.constraints, kConstraints);
}

}  // namespace memd::continuity

// What the person wants: the goal, and what is to be kept to.
#include "store/continuity/evidence.hpp"
#include "store/continuity/told_sentences.hpp"
#include "store/continuity/weights.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace memd::continuity {
namespace {

constexpr std::size_t kGoalBytes = 700;
constexpr std::size_t kFirstGoalBytes = 360;
constexpr std::size_t kLastWordBytes = 160;
constexpr std::size_t kConstraints = 16;
constexpr std::size_t kReadOfPrompt = 12 * 1024;
constexpr double kPastedPrompt = 0.2;  // a long one is a plan or a paste, its sentences are not all wishes
constexpr double kWhileWorking = 1.6;  // words that interrupt the work correct it

constexpr std::array<std::string_view, 22> kStrong{
    " don't ",  " dont ",      " do not ",     " never ",   " always ",  " must ",     " instead ",  " make sure ",
    " ensure ", " shouldn't ", " should not ", " rather ",  " avoid ",   " no need ",  " not want ", " don't want ",
    " only ",   " can't ",     " stop ",       " without ", " mustn't ", " no longer "};
constexpr std::array<std::string_view, 12> kWeak{" should ",  " keep ",     " prefer ",  " use ",
                                                 " need to ", " needs to ", " have to ", " i want ",
                                                 " please ",  " we want ",  " not ",     " actually "};

bool is_words_of_client(std::string_view text) {
  return text.starts_with('<') || text.starts_with("[Request interrupted") || text.starts_with("Caveat:");
}

}  // namespace

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
  std::set<std::string> known;
  for (const PastText& t : past.texts) {
    if (t.speaker == Speaker::agent || is_words_of_client(t.text)) continue;
    double weight = weights::decay(t.age, weights::kToldHalfLife);
    if (t.text.size() > 1500) weight *= kPastedPrompt;
    if (t.speaker == Speaker::meanwhile) weight *= kWhileWorking;
    for_each_sentence(t.text.substr(0, kReadOfPrompt), 12, 320, [&](std::string_view sentence) {
      const std::string spoken = spoken_form(sentence);
      if (std::count(spoken.begin(), spoken.end(), ' ') < 4) return;
      const double cue = has_cue(spoken, kStrong) ? 1.0 : has_cue(spoken, kWeak) ? 0.45 : 0.0;
      const double question = sentence.ends_with('?') ? 0.5 : 1.0;
      if (cue == 0 || !known.insert(spoken).second) return;
      out.constraints.push_back({shortened(sentence, 240), id_of(past, t.exchange), weight * cue * question});
    });
  }
  std::stable_sort(out.constraints.begin(), out.constraints.end(),
                   [](const Told& a, const Told& b) { return a.score > b.score; });
  if (out.constraints.size() > kConstraints) out.constraints.resize(kConstraints);
}

}  // namespace memd::continuity

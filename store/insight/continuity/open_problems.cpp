// What an agent said is wrong and did not say is mended.
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/language_cues.hpp"
#include "store/insight/continuity/told_sentences.hpp"

#include <algorithm>
#include <array>

namespace memd::continuity {
namespace {

constexpr std::size_t kProblems = 4;
constexpr std::size_t kSentenceBytes = 240;
constexpr std::size_t kShortest = 24;

constexpr std::array<std::string_view, 26> kTrouble{
    " fails ",     " fail ",        " failing ",    " failed ",      " the issue is ", " the problem is ", " bug ",
    " broken ",    " breaks ",      " crashes ",    " hangs ",       " root cause ",   " doesn't ",        " isn't ",
    " aren't ",    " can't ",       " cannot ",     " not working ", " missing ",      " wrong ",          " wrongly ",
    " incorrect ", " incorrectly ", " regression ", " mismatch ",    " still expect "};
// Said of all there was to mend.
constexpr std::array<std::string_view, 17> kMended{
    " all tests pass ", " tests pass ", " tests passing ", " tests passed ", " all pass ",        " all passing ",
    " now passes ",     " now pass ",   " passes now ",    " works now ",    " now works ",       " is fixed ",
    " are fixed ",      " fixed ",      " resolved ",      " all green ",    " everything works "};
// Trouble that is no trouble, or nobody's now.
constexpr std::array<std::string_view, 14> kNoTrouble{
    " not broken ",   " no longer ", " isn't needed ",    " no issues ",     " no errors ",
    " works ",        " fixing ",    " doesn't matter ",  " would ",         " not a bug ",
    " doesn't need ", " verifying ", " isn't a problem ", " error handling "};
// What was done, will be done or may come.
constexpr std::array<std::string_view, 25> kOpenings{
    " added ",     " i added ", " fixed ",        " i fixed ",    " updated ",     " i updated ", " created ",
    " i created ", " removed ", " i removed ",    " i reworked ", " implemented ", " i've ",      " let me ",
    " now let ",   " i'll ",    " now i'll ",     " found ",      " if ",          " i need ",    " now i need ",
    " let's ",     " enables ", " you're right ", " run "};

// The message that ends the work tells first what was done.
bool reports_done(std::string_view text) {
  constexpr std::array<std::string_view, 9> kDone{" done ",       " added ",       " i added ",
                                                  " i've added ", " implemented ", " completed ",
                                                  " fixed ",      " i fixed ",     " i have successfully "};
  const std::string spoken = spoken_form(text.substr(0, 80));
  return std::any_of(kDone.begin(), kDone.end(), [&](std::string_view done) { return spoken.starts_with(done); });
}

bool is_trouble(std::string_view sentence, const std::string& spoken) {
  if (sentence.ends_with(':') || sentence.ends_with('?') || has_cue(spoken, kNoTrouble) ||
      has_cue(spoken, cues::kAsked) || has_cue(spoken, cues::kSupposed))
    return false;
  return std::none_of(kOpenings.begin(), kOpenings.end(),
                      [&](std::string_view opening) { return spoken.starts_with(opening); });
}

}  // namespace

Trouble trouble_in(std::string_view sentence) {
  const std::string spoken = spoken_form(sentence);
  const auto stands_there = [&](std::string_view cue) { return spoken.find(cue) != std::string::npos; };
  const auto cues = std::count_if(kTrouble.begin(), kTrouble.end(), stands_there) +
                    std::count_if(cues::kTrouble.begin(), cues::kTrouble.end(), stands_there);
  if (has_cue(spoken, kMended) || has_cue(spoken, cues::kMended)) return {0, cues == 0};
  if (cues == 0 || sentence.size() < kShortest || !is_trouble(sentence, spoken)) return {};
  return {static_cast<int>(cues), false};
}

void find_problems(const SessionPast& past, WorkingState& out) {
  const auto spoke = std::find_if(past.texts.rbegin(), past.texts.rend(),
                                  [](const PastText& t) { return t.speaker == Speaker::agent; });
  const PastText* last = spoke == past.texts.rend() ? nullptr : &*spoke;
  for (const PastText& t : past.texts) {
    if (t.speaker != Speaker::agent || t.age > kOpenWithin) continue;
    if (&t == last && reports_done(t.text)) out.problems.clear();
    for_each_sentence(t.text, 8, 400, [&](std::string_view sentence) {
      const Trouble trouble = trouble_in(sentence);
      if (trouble.mended) out.problems.clear();
      if (trouble.cues == 0) return;
      out.problems.push_back({plain_sentence(sentence, kSentenceBytes), id_of(past, t.exchange),
                              static_cast<double>(trouble.cues) * decay(t.age, kToldHalfLife / 6)});
    });
  }
  keep_best(out.problems, kProblems);
}

}  // namespace memd::continuity

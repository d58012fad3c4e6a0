// What an agent said is wrong and did not say is mended.
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/told_sentences.hpp"
#include "store/text/cue_matcher.hpp"

#include <algorithm>

namespace memd::continuity {
namespace {

constexpr std::size_t kProblems = 4;
constexpr std::size_t kSentenceBytes = 240;
constexpr std::size_t kShortestTrouble = 24;

constexpr CueSet kNoTrouble = Cue::harmless | Cue::no_complaint | Cue::asked | Cue::supposed;

// The message that ends the work tells first what was done.
bool reports_done(std::string_view text) { return cues().has(text.substr(0, 80), Cue::reports_done); }

}  // namespace

Trouble trouble_in(std::string_view sentence) {
  const auto trouble = static_cast<int>(cues().all(sentence, Cue::trouble).size());
  if (cues().has(sentence, Cue::mended)) return {0, trouble == 0};
  if (trouble == 0 || sentence.size() < kShortestTrouble || sentence.ends_with(':') || sentence.ends_with('?'))
    return {};
  return {cues().has(sentence, kNoTrouble) ? 0 : trouble, false};
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

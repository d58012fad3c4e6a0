// Exact values that were stated: sizes, times, limits, measurements.
#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/sentences.hpp"
#include "store/insight/continuity/weights.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/words.hpp"

#include <algorithm>

namespace memd::continuity {
namespace {

constexpr std::size_t kValues = 5;  // most tell nothing later
constexpr std::size_t kValueBytes = 200;
constexpr std::size_t kReadOfMessage = 4 * 1024;  // a longer message is a paste
constexpr double kPersonsValue = 2;

// Returns the unit after a number: "48 MB", "48MB", "12,5 %"; empty if there is none.
std::string_view unit_behind(std::string_view text, std::size_t at) {
  if (at < text.size() && (text[at] == ' ' || text[at] == '-')) ++at;
  std::size_t end = at;
  while (end < text.size() && (ascii::is_letter(text[end]) || ascii::is_non_ascii(text[end]) || text[end] == '/'))
    ++end;
  if (end == at && end < text.size() && (text[end] == '%' || text[end] == '$')) ++end;
  return text.substr(at, end - at);
}

}  // namespace

int values_in(std::string_view sentence) {
  int found = 0;
  for (std::size_t i = 0; i < sentence.size();) {
    if (!ascii::is_digit(sentence[i])) {
      ++i;
      continue;
    }
    const bool apart = i == 0 || sentence[i - 1] == ' ' || sentence[i - 1] == '(' || sentence[i - 1] == '~' ||
                       sentence[i - 1] == '<' || sentence[i - 1] == '>' || sentence[i - 1] == '=';
    std::size_t end = i;
    while (end < sentence.size() &&
           (ascii::is_digit(sentence[end]) || ((sentence[end] == '.' || sentence[end] == ',') &&
                                               end + 1 < sentence.size() && ascii::is_digit(sentence[end + 1]))))
      ++end;
    const std::string_view unit = unit_behind(sentence, end);
    const bool large = sentence.substr(i, end - i).find(',') != std::string_view::npos;
    if (apart && (large || words(WordClass::unit).has(unit))) ++found;
    i = end;
  }
  return found;
}

void find_values(const SessionPast& past, WorkingState& out) {
  for (const PastText& t : past.texts) {
    const bool person = t.speaker != Speaker::agent;
    if (person && (t.text.size() > kReadOfMessage || t.text.starts_with('<'))) continue;
    for_each_sentence(t.text, 12, 240, [&](std::string_view sentence) {
      const int values = values_in(sentence);
      if (values == 0 || ends_in_question_mark(sentence) || announces(sentence)) return;
      if (!person && cues().has(sentence, Cue::supposed | Cue::unsure)) return;  // hypothetical
      out.values.push_back({plain_sentence(sentence, kValueBytes), id_of(past, t.exchange),
                            (person ? kPersonsValue : 1) * decay(t.age, kToldHalfLife)});
    });
  }
  for (const auto* list : {&out.goal, &out.constraints, &out.choices})
    for (const ExtractedSentence& sentence : *list)
      drop_contained_in(out.values, sentence.text);
  keep_best(out.values, kValues);
}

}  // namespace memd::continuity

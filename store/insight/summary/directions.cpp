#include "store/insight/summary/directions.hpp"

#include "schemas/base/ascii.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/text/code_names.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <cstddef>

namespace memd {
namespace {

constexpr std::size_t kLongestDirections = 2000;  // bytes
constexpr std::size_t kLongestDirection = 300;
constexpr std::size_t kFewestTelling = 3;          // that tell something
constexpr std::ptrdiff_t kMostWordsOfGoAhead = 7;  // words

bool has_code_name(std::string_view text) {
  bool found = text.find('`') != std::string_view::npos || text.find('"') != std::string_view::npos;
  continuity::for_each_code_name(text, [&](std::string_view) { found = true; });
  return found;
}

}  // namespace

bool is_direction(std::string_view sentence) {
  if (sentence.size() > kLongestDirection || sentence.starts_with('>') || sentence.ends_with(':') ||
      sentence.find('?') != std::string_view::npos || sentence.find("？") != std::string_view::npos ||
      shows_screen(sentence))
    return false;
  const CueSet found =
      cues().find(sentence, Cue::chooses | Cue::points | Cue::momentary | Cue::talks | Cue::undecided | Cue::go_ahead);
  const bool goes_on = found.has(Cue::go_ahead) && std::ranges::count(sentence, ' ') < kMostWordsOfGoAhead;
  if (goes_on ||
      (found & (Cue::chooses | Cue::points | Cue::momentary | Cue::talks | Cue::undecided)) != CueSet(Cue::chooses))
    return false;
  return telling_words(sentence) >= kFewestTelling || has_code_name(sentence);
}

std::vector<std::string> find_directions(std::string_view message) {
  std::vector<std::string> found;
  if (message.size() > kLongestDirections || cues().opening(ascii::trimmed(message), Cue::plan_told)) return found;
  for (const TextUnit& unit : split_units(message)) {
    if (unit.kind == UnitKind::code || unit.kind == UnitKind::table || unit.kind == UnitKind::heading) continue;
    const std::string sentence = ascii::one_line(unit.text);
    if (is_direction(sentence)) found.push_back(plain_sentence(sentence));
  }
  return found;
}

}  // namespace memd

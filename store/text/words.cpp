#include "store/text/words.hpp"

#include "store/text/script.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace memd {
namespace {

constexpr std::size_t kWordClasses = static_cast<std::size_t>(WordClass::empty_line) + 1;
constexpr std::array<std::string_view, kWordClasses> kWordClassNames{"stop",
                                                                     "border",
                                                                     "verb",
                                                                     "filler",
                                                                     "common",
                                                                     "pale",
                                                                     "abbreviation",
                                                                     "before_date",
                                                                     "adjective_end",
                                                                     "particle",
                                                                     "ending",
                                                                     "today",
                                                                     "yesterday",
                                                                     "day_before_yesterday",
                                                                     "this_week",
                                                                     "last_week",
                                                                     "this_month",
                                                                     "last_month",
                                                                     "last_year",
                                                                     "file_ending",
                                                                     "name_ending",
                                                                     "standard_module",
                                                                     "standard_name",
                                                                     "unit",
                                                                     "subcommand",
                                                                     "no_program",
                                                                     "tells_end",
                                                                     "output_filter",
                                                                     "housekeeping",
                                                                     "look",
                                                                     "program",
                                                                     "password_name",
                                                                     "short_password_name",
                                                                     "key_name",
                                                                     "maybe_key_name",
                                                                     "query_key_name",
                                                                     "phrase_name",
                                                                     "pin_name",
                                                                     "card_name",
                                                                     "service_name",
                                                                     "harmless_name",
                                                                     "harmless_key_name",
                                                                     "harmless_call",
                                                                     "value_name",
                                                                     "naming_name",
                                                                     "setting_word",
                                                                     "placeholder",
                                                                     "placeholder_part",
                                                                     "empty_title",
                                                                     "empty_line"};

}  // namespace

const WordList& words(WordClass of) {
  static const std::vector<WordList> kLists = read_word_lists(embedded::word_files(), kWordClassNames);
  return kLists[static_cast<std::size_t>(of)];
}

bool is_stop_word(std::string_view word) {
  static const WordList& kStop = words(WordClass::stop);
  const bool cyrillic = !word.empty() && (word[0] == '\xD0' || word[0] == '\xD1');
  return cyrillic ? kStop.has(tokenizer::small_cyrillic(word)) : kStop.has(word);
}

}  // namespace memd

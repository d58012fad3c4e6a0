#include "store/text/words.hpp"

#include "schemas/base/reflected_name.hpp"
#include "store/text/script.hpp"

#include <cstddef>
#include <vector>

namespace memd {
const WordList& words(WordClass of) {
  static const std::vector<WordList> kLists = read_word_lists(embedded::word_files(), reflect::kEnumNames<WordClass>);
  return kLists[static_cast<std::size_t>(of)];
}

bool is_stop_word(std::string_view word) {
  static const WordList& kStop = words(WordClass::stop);
  const bool cyrillic = !word.empty() && (word[0] == '\xD0' || word[0] == '\xD1');
  return cyrillic ? kStop.has(tokenizer::small_cyrillic(word)) : kStop.has(word);
}

}  // namespace memd

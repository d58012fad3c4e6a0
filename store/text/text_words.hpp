#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace memd {

struct TextWord {
  std::string text;      // ASCII and Cyrillic letters in lower case, ё as е
  std::size_t at = 0;    // byte offset of its start
  bool is_pair = false;  // of a script that is indexed in pairs; also set for a single character
};

// Calls `f` for the words of a text in any script, in order: runs of letters, digits and "_". Scripts without blanks
// between words, or with attached endings, give overlapping pairs of characters, as in the index. Skips pairs of
// Hiragana only, which join words. O(n), thread-safe.
void for_each_word(std::string_view text, const std::function<void(const TextWord&)>& f);

// Counts the content words of a text: all but stop words and single letters. Two pairs count as one word.
std::size_t content_words(std::string_view text);

}  // namespace memd

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace memd {

struct TextWord {
  std::string text;      // ASCII and Cyrillic letters are small, ё is е
  std::size_t at = 0;    // where it begins
  bool is_pair = false;  // of a script that is read in pairs; a character that stands alone is one
};

// Calls f for the words of a text in any script, in order: runs of letters, digits and "_". Scripts without blanks
// between words, or with endings that are part of them, are read in overlapping pairs of characters, as the index does;
// pairs of Hiragana alone, which join words, are left out. O(n), any thread.
void for_each_word(std::string_view text, const std::function<void(const TextWord&)>& f);

// How many words a text has that say something: not stop words, nor single letters. Two pairs count as a word.
std::size_t telling_words(std::string_view text);

}  // namespace memd

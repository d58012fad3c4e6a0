#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// BERT's normaliser (uncased: clean text, spaces around CJK, accents stripped, lower case) and pre-tokeniser, character
// by character, as HuggingFace tokenizers has them.
namespace memd::embedding {

enum class CharKind : std::uint8_t {
  part,     // of a word
  dropped,  // control characters, combining marks, what is not UTF-8
  space,    // ends a word
  alone,    // a word of its own: punctuation, CJK ideographs
};

struct NormalChar {
  CharKind kind = CharKind::dropped;
  std::uint8_t size = 0;        // bytes in `text`
  std::uint8_t characters = 0;  // that these are
  char text[12] = {};           // UTF-8
};

// The character at `at` (< text.size()), which is moved behind it.
NormalChar next_char(std::string_view text, std::size_t& at);

// The same for ASCII, where every character becomes one.
struct AsciiTable {
  CharKind kind[128];
  char text[128];
};
extern const AsciiTable kAscii;

}  // namespace memd::embedding

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::redaction {

// A text with its JSON escape sequences resolved, and where each of its bytes came from.
struct Unescaped {
  std::string text;
  std::vector<std::uint32_t> origin;  // one more than bytes: the last is the end of the original
  bool changed = false;               // there was an escape sequence
};

// Lenient: what is no escape sequence stays as it is.
void unescape(std::string_view escaped, Unescaped& out);

// Where to begin so that what stands at `at` is resolved as it is meant: no escape sequence is likely to begin before
// and to end behind. Not before `first`, and no further back than kLookBack: of a text with nothing but escape
// sequences, each place would lead back to its begin.
inline constexpr std::size_t kLookBack = 16'384;  // bytes
std::size_t begin_of_escapes(std::string_view text, std::size_t at, std::size_t first);

// The UTF-16 code unit of the \uXXXX that `text` begins with; -1: it begins with none.
int escaped_code_unit(std::string_view text);

// Length of the escape sequence that `text` begins with, a backslash: 2, 6, or 1 at the end of the text.
std::size_t escape_length(std::string_view text);

}  // namespace memd::redaction

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::redaction {

// A text with its JSON escape sequences resolved, and the origin of each byte.
struct Unescaped {
  std::string text;
  std::vector<std::uint32_t> origin;  // offsets in the original; one more than bytes, the last is its end
  bool changed = false;               // the original contained an escape sequence
};

// Lenient: invalid escape sequences stay unchanged.
void unescape(std::string_view escaped, Unescaped& out);

// Returns a start from which the escape sequences around `at` are resolved correctly: no escape sequence is likely to
// span it. It is not before `first`, and at most kLookBack bytes before `at`. Without this limit, every place in a text
// of nothing but escape sequences would lead back to the beginning.
inline constexpr std::size_t kLookBack = 16'384;  // bytes
std::size_t begin_of_escapes(std::string_view text, std::size_t at, std::size_t first);

// Returns the UTF-16 code unit of the \uXXXX at the start of `text`; -1 if there is none.
int escaped_code_unit(std::string_view text);

// Returns the length of the escape sequence at the start of `text`, which begins with a backslash: 2, 6, or 1 at the
// end of the text.
std::size_t escape_length(std::string_view text);

}  // namespace memd::redaction

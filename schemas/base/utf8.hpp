#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd {

// Returns the length of the well-formed UTF-8 sequence at the start of `s` (which is not empty and not ASCII), 0 if
// there is none.
constexpr std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const auto in = [&](std::size_t i, unsigned lo, unsigned hi) {
    return i < s.size() && byte(i) >= lo && byte(i) <= hi;
  };
  const unsigned lead = byte(0);
  if (lead >= 0xC2 && lead <= 0xDF) return in(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned lo = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned hi = lead == 0xED ? 0x9F : 0xBF;  // no surrogates
    return in(1, lo, hi) && in(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned lo = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned hi = lead == 0xF4 ? 0x8F : 0xBF;
    return in(1, lo, hi) && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

struct CodePoint {
  char32_t code = 0;
  std::size_t length = 0;  // bytes; 0: the end of the text
};

// Decodes what begins at `at`; a byte of no sequence is U+FFFD.
constexpr CodePoint code_point_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t length = utf8_length(text.substr(at));
  if (length == 0) return {0xFFFD, 1};
  char32_t code = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (byte(i) & 0x3FU);
  return {code, length};
}

// Returns whether a byte continues a sequence.
constexpr bool is_utf8_tail(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }
constexpr bool is_utf8_tail(std::string_view text, std::size_t at) {
  return at < text.size() && is_utf8_tail(text[at]);
}

// Returns the longest prefix of at most `limit` bytes that does not split a character, nor ends in a part of one.
constexpr std::string_view utf8_prefix(std::string_view text, std::size_t limit) {
  const std::size_t cut = std::min(limit, text.size());
  std::size_t lead = cut;
  for (int i = 0; i < 4 && lead > 0; ++i) {
    --lead;
    const auto byte = static_cast<unsigned char>(text[lead]);
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    const std::size_t need = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return text.substr(0, lead + need <= cut ? cut : lead);
  }
  return text.substr(0, cut);
}

// Writes a code point at `to`, at most four bytes, and returns the end. Half a surrogate pair gives what is no UTF-8.
constexpr char* put_utf8(std::uint32_t c, char* to) {
  const auto tail = [c](unsigned shift) { return static_cast<char>(0x80U | (c >> shift & 0x3FU)); };
  if (c < 0x80) {
    *to++ = static_cast<char>(c);
    return to;
  }
  if (c < 0x800) {
    *to++ = static_cast<char>(0xC0U | c >> 6U);
  } else {
    if (c < 0x10000) {
      *to++ = static_cast<char>(0xE0U | c >> 12U);
    } else {
      *to++ = static_cast<char>(0xF0U | (c >> 18U & 0x07U));
      *to++ = tail(12);
    }
    *to++ = tail(6);
  }
  *to++ = tail(0);
  return to;
}
inline std::string as_utf8(std::uint32_t c) {
  char bytes[4];
  return {bytes, put_utf8(c, bytes)};
}

}  // namespace memd

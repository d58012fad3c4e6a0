#include "store/text/script.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace memd::tokenizer {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
  Script script;
};

constexpr auto kRanges = std::to_array<Range>({
    {0x0400, 0x0481, Script::cyrillic}, {0x048A, 0x052F, Script::cyrillic}, {0x0E01, 0x0E3A, Script::thai},
    {0x0E40, 0x0E4E, Script::thai},     {0x0E81, 0x0EBD, Script::thai},     {0x0EC0, 0x0ECE, Script::thai},
    {0x0EDC, 0x0EDF, Script::thai},     {0x1000, 0x103F, Script::thai},     {0x1050, 0x108F, Script::thai},
    {0x109A, 0x109D, Script::thai},     {0x1100, 0x11FF, Script::hangul},   {0x1780, 0x17D3, Script::thai},
    {0x1C80, 0x1C88, Script::cyrillic}, {0x2E80, 0x2FD5, Script::han},      {0x3005, 0x3007, Script::han},
    {0x3021, 0x3029, Script::han},      {0x3038, 0x303B, Script::han},      {0x3041, 0x3096, Script::hiragana},
    {0x309D, 0x309F, Script::hiragana}, {0x30A1, 0x30FA, Script::katakana}, {0x30FC, 0x30FF, Script::katakana},
    {0x3105, 0x312F, Script::han},      {0x3131, 0x318E, Script::hangul},   {0x31A0, 0x31BF, Script::han},
    {0x31F0, 0x31FF, Script::katakana}, {0x3400, 0x4DBF, Script::han},      {0x4E00, 0x9FFF, Script::han},
    {0xA640, 0xA66E, Script::cyrillic}, {0xA680, 0xA69D, Script::cyrillic}, {0xA960, 0xA97C, Script::hangul},
    {0xAC00, 0xD7A3, Script::hangul},   {0xD7B0, 0xD7FB, Script::hangul},   {0xF900, 0xFAFF, Script::han},
    {0xFF10, 0xFF19, Script::wide},     {0xFF21, 0xFF3A, Script::wide},     {0xFF41, 0xFF5A, Script::wide},
    {0xFF66, 0xFF9F, Script::katakana}, {0xFFA1, 0xFFDC, Script::hangul},   {0x1AFF0, 0x1B16F, Script::katakana},
    {0x20000, 0x3FFFD, Script::han},
});

}  // namespace

Script script_of(std::uint32_t character) {
  if (character < kRanges.front().first) return Script::other;
  const auto above = std::upper_bound(kRanges.begin(), kRanges.end(), character,
                                      [](std::uint32_t c, const Range& range) { return c < range.first; });
  const Range& range = *std::prev(above);
  return character <= range.last ? range.script : Script::other;
}

bool is_word_character(std::uint32_t c) {
  if (c < 0x80) return ascii::is_word(static_cast<char>(c));
  if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA;
  if (script_of(c) != Script::other) return true;
  const bool is_sign = c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c < 0x2C00) || (c >= 0x3000 && c < 0x3100) ||
                       (c >= 0xD800 && c < 0xF900) || (c >= 0xFE00 && c < 0xFE70) || (c >= 0xFF00 && c < 0x10000) ||
                       c >= 0x1F000;
  return !is_sign;
}

// Equivalent to READ_UTF8 of fts5_tokenize.c: tokens must be cut where SQLite cuts them, even in invalid UTF-8.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  std::uint32_t c = static_cast<unsigned char>(text[at++]);
  if (c < 0xC0) return c;
  c = c < 0xE0 ? c & 0x1F : c < 0xF0 ? c & 0x0F : c < 0xF8 ? c & 0x07 : c < 0xFC ? c & 0x03 : c < 0xFE ? c & 0x01 : 0;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
    c = (c << 6) + (static_cast<unsigned char>(text[at++]) & 0x3F);
  return c < 0x80 || (c & 0xFFFFF800) == 0xD800 || (c & 0xFFFFFFFE) == 0xFFFE ? 0xFFFD : c;
}

bool has_other_scripts(std::string_view text) {
  constexpr std::uint64_t kBeyondAscii = 0x8080808080808080;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      std::uint64_t eight = 0;
      if (at + sizeof(eight) <= text.size()) std::memcpy(&eight, text.data() + at, sizeof(eight));
      const bool skips = at + sizeof(eight) <= text.size() && (eight & kBeyondAscii) == 0;
      at += skips ? sizeof(eight) : 1;
    } else if (script_of(next_character(text, at)) != Script::other) {
      return true;
    }
  }
  return false;
}

std::string small_cyrillic(std::string_view word) {
  std::string out(word);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    const auto tail = static_cast<unsigned char>(out[i + 1]);
    if (out[i] == '\xD0' && tail >= 0x90 && tail < 0xA0) {
      out[i + 1] = static_cast<char>(tail + 0x20);
    } else if (out[i] == '\xD0' && tail >= 0xA0 && tail < 0xB0) {
      out[i] = '\xD1';
      out[i + 1] = static_cast<char>(tail - 0x20);
    } else if ((out[i] == '\xD0' && tail == 0x81) || (out[i] == '\xD1' && tail == 0x91)) {
      out[i] = '\xD0';
      out[i + 1] = '\xB5';
    }
  }
  return out;
}

}  // namespace memd::tokenizer

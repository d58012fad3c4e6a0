#include "schemas/base/harmless.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/envelopes.hpp"
#include "schemas/base/utf8.hpp"

#include <cstddef>

namespace memd {
namespace {

constexpr std::string_view kNoCharacter = "\xEF\xBF\xBD";  // U+FFFD
constexpr unsigned char kDelete = 0x7F;

// Code points in UTF-8: C1 controls, line and paragraph separator, bidirectional controls.
bool is_c1(std::string_view c) { return c.size() == 2 && c[0] == '\xC2' && static_cast<unsigned char>(c[1]) < 0xA0; }
bool is_separator(std::string_view c) { return c == "\xE2\x80\xA8" || c == "\xE2\x80\xA9"; }
bool is_direction(std::string_view c) {
  if (c.size() != 3 || c[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(c[2]);
  return (c[1] == '\x80' && last >= 0xAA && last <= 0xAE) || (c[1] == '\x81' && last >= 0xA6 && last <= 0xA9);
}

// Appends the visible symbol of an ASCII control character: U+2400 and following.
void append_sign(std::string& out, unsigned char control) {
  const unsigned char number = control == kDelete ? 0x21 : control;
  out += "\xE2\x90";
  out += static_cast<char>(0x80 + number);
}

bool is_plain(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 0x20 && u < kDelete;
}

}  // namespace

unsigned hidden_code(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (is_c1(character) || character == "\x7F") return byte(character.size() - 1);
  if (is_direction(character) || is_separator(character)) return 0x2000U | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
  return 0;
}

void append_code_escape(std::string& out, unsigned code) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    out += kHex[code >> shift & 0xFU];
}

void append_harmless(std::string& out, std::string_view text, Lines lines) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t run = i;
    while (run < text.size() && is_plain(text[run]))
      ++run;
    out.append(text, i, run - i);
    i = run;
    if (i == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n' || byte == '\t') {
      out += lines == Lines::kept ? text[i] : ' ';
      ++i;
    } else if (byte == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
    } else if (byte < 0x80) {
      append_sign(out, byte);
      ++i;
    } else {
      const std::string_view c = text.substr(i, utf8_length(text.substr(i)));
      if (is_separator(c))
        out += ' ';
      else
        out += c.empty() || is_c1(c) || is_direction(c) ? kNoCharacter : c;
      i += c.empty() ? 1 : c.size();
    }
  }
}

std::string harmless(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_harmless(out, text, Lines::kept);
  return out;
}

std::string harmless_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_harmless(out, text, Lines::joined);
  return out;
}

std::string harmless_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    std::size_t run = i;
    while (run < json.size() && (is_plain(json[run]) || ascii::is_space(json[run])))
      ++run;
    out.append(json, i, run - i);
    i = run;
    if (i == json.size()) break;
    const std::string_view c = json.substr(i, ascii::is_non_ascii(json[i]) ? utf8_length(json.substr(i)) : 1);
    if (const unsigned code = hidden_code(c); code != 0)
      append_code_escape(out, code);
    else
      out += c.empty() ? kNoCharacter : c;
    i += c.empty() ? 1 : c.size();
  }
  return out;
}

void append_recorded(std::string& out, std::string_view text, Lines lines) {
  append_harmless(out, without_envelopes(text), lines);
}

std::string recorded(std::string_view text) {
  std::string out(kHistoryBegin);
  append_recorded(out, text, Lines::joined);
  return out.append(kHistoryEnd);
}

}  // namespace memd

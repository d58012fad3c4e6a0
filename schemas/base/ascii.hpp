#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

// Classification and case conversion of ASCII characters, independent of the locale, and texts cut at them. A byte of
// any other character is no letter, digit or blank. Pure functions, any thread.
namespace memd::ascii {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }
constexpr bool is_alnum(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_word(char c) { return is_alnum(c) || c == '_'; }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr bool is_non_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }  // part of a UTF-8 sequence

constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr char upper(char c) { return is_lower(c) ? static_cast<char>(c - ('a' - 'A')) : c; }

// Returns the value of a hexadecimal digit, -1 for any other character.
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return is_hex(c) ? lower(c) - 'a' + 10 : -1;
}

// Returns the character that one behind a backslash stands for in JSON.
constexpr char unescaped(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case 'f': return '\f';
    default: return c;
  }
}

inline std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

constexpr bool equal_nocase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

constexpr bool starts_nocase(std::string_view text, std::string_view prefix) {
  return equal_nocase(text.substr(0, prefix.size()), prefix);
}

// Removes the blanks at both ends.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

// Returns the text before the first separator, and removes both from `rest`; without a separator, all of it.
constexpr std::string_view take_until(std::string_view& rest, std::string_view separator) {
  const std::string_view taken = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(taken.size() + separator.size(), rest.size()));
  return taken;
}
constexpr std::string_view take_until(std::string_view& rest, char separator) {
  return take_until(rest, std::string_view(&separator, 1));
}

// Returns the texts between the separators, without empty ones.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty())
    if (const auto piece = take_until(text, separator); !piece.empty()) out.emplace_back(piece);
  return out;
}

// Replaces each run of blanks and line breaks by one blank and removes those at both ends.
inline std::string one_line(std::string_view text) {
  std::string out;
  text = trimmed(text);
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && !is_space(text[end]))
      ++end;
    out.append(text, at, end - at);
    if (end == text.size()) break;
    out += ' ';
    for (at = end; is_space(text[at]);)
      ++at;
  }
  return out;
}

}  // namespace memd::ascii

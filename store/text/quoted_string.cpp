#include "store/text/quoted_string.hpp"

#include "store/text/redaction/escaped_text.hpp"

namespace memd::continuity {
namespace {

constexpr std::size_t kEscapeLength = 6;  // \uXXXX

void append_code_point(std::string& out, int c) {
  const auto put = [&](int byte) { out += static_cast<char>(byte); };
  if (c < 0x20) {
    put(' ');
  } else if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  }
}

// Appends the character of the escape at `at`, or of the pair of escapes that it begins; moves `at` behind it.
void append_escaped(std::string_view text, std::size_t& at, int unit, std::string& out) {
  at += kEscapeLength;
  if (unit < 0xD800 || unit > 0xDFFF) return append_code_point(out, unit);
  const int low = unit < 0xDC00 ? redaction::escaped_code_unit(text.substr(at)) : -1;
  if (low < 0xDC00 || low > 0xDFFF) return append_code_point(out, 0xFFFD);
  at += kEscapeLength;
  append_code_point(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
}

}  // namespace

std::string read_quoted(std::string_view text, std::size_t& at) {
  constexpr std::string_view kBlanks = "ntrbf";
  std::string out;
  ++at;
  while (at < text.size() && text[at] != '"') {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out += text[at++];
    } else if (const int unit = redaction::escaped_code_unit(text.substr(at)); unit >= 0) {
      append_escaped(text, at, unit, out);
    } else {
      out += kBlanks.find(text[at + 1]) != std::string_view::npos ? ' ' : text[at + 1];
      at += 2;
    }
  }
  if (at < text.size()) ++at;
  return out;
}

}  // namespace memd::continuity

#include "store/text/redaction/escaped_text.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>

namespace memd::redaction {
namespace {

char simple_escape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case 'f': return '\f';
    default: return c;
  }
}

}  // namespace

int escaped_code_unit(std::string_view s) {
  if (s.size() < 6 || s[0] != '\\' || s[1] != 'u') return -1;
  int v = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int d = ascii::hex_value(s[i]);
    if (d < 0) return -1;
    v = v * 16 + d;
  }
  return v;
}

std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  return escaped_code_unit(text) >= 0 ? 6 : 2;
}

std::size_t begin_of_escapes(std::string_view text, std::size_t at, std::size_t first) {
  constexpr std::size_t kReach = std::string_view("\\u0000").size() + 1;  // behind a backslash
  const std::size_t floor = at - std::min(at - first, kLookBack);
  while (at > floor && text.substr(at - std::min(at, kReach), kReach + 1).find('\\') != std::string_view::npos)
    --at;
  return at;
}

void unescape(std::string_view s, Unescaped& out) {
  // A resolved escape sequence is never longer than the sequence.
  out.text.resize(s.size());
  out.origin.resize(s.size() + 1);
  out.changed = false;
  char* to = out.text.data();
  std::uint32_t* origin = out.origin.data();
  for (std::size_t i = 0; i < s.size();) {
    const auto from = static_cast<std::uint32_t>(i);
    const auto put = [&](int byte) {
      *to++ = static_cast<char>(byte);
      *origin++ = from;
    };
    if (s[i] != '\\' || i + 1 == s.size()) {
      const std::size_t end = std::min(s.find('\\', i + 1), s.size());
      to = std::copy(s.begin() + static_cast<std::ptrdiff_t>(i), s.begin() + static_cast<std::ptrdiff_t>(end), to);
      for (; i < end; ++i)
        *origin++ = static_cast<std::uint32_t>(i);
      continue;
    }
    out.changed = true;
    const int unit = escaped_code_unit(s.substr(i));
    const int low = unit >= 0xD800 && unit < 0xDC00 ? escaped_code_unit(s.substr(i + 6)) : -1;
    if (low >= 0xDC00 && low < 0xE000) {
      const int point = 0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF);
      put(0xF0 | point >> 18), put(0x80 | (point >> 12 & 0x3F)), put(0x80 | (point >> 6 & 0x3F)),
          put(0x80 | (point & 0x3F));
      i += 12;
    } else if (unit < 0) {
      put(simple_escape(s[i + 1]));
      i += 2;
    } else {
      // Single halves of surrogate pairs give something that is no UTF-8.
      if (unit < 0x80) {
        put(unit);
      } else if (unit < 0x800) {
        put(0xC0 | unit >> 6), put(0x80 | (unit & 0x3F));
      } else {
        put(0xE0 | unit >> 12), put(0x80 | (unit >> 6 & 0x3F)), put(0x80 | (unit & 0x3F));
      }
      i += 6;
    }
  }
  *origin++ = static_cast<std::uint32_t>(s.size());
  out.text.resize(static_cast<std::size_t>(to - out.text.data()));
  out.origin.resize(static_cast<std::size_t>(origin - out.origin.data()));
}

}  // namespace memd::redaction

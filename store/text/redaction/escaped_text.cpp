#include "store/text/redaction/escaped_text.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>
#include <bit>

namespace memd::redaction {
namespace {

// Copies bytes from s[i] on that begin no escape sequence, and their origins; as few as is easy. Returns their number;
// 0: an escape sequence begins there. There is room for all of the text.
std::size_t plain_bytes(std::string_view s, std::size_t i, char* to, std::uint32_t* origin) {
#ifdef __SSE2__
  constexpr std::size_t kWide = sizeof(__m128i);
  if (i + kWide < s.size()) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s.data() + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
    const __m128i first = _mm_add_epi32(_mm_set1_epi32(static_cast<int>(i)), _mm_set_epi32(3, 2, 1, 0));
#pragma GCC unroll 4
    for (int n = 0; n < 4; ++n)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(origin) + n, _mm_add_epi32(first, _mm_set1_epi32(4 * n)));
    const auto escapes = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    return std::min(static_cast<std::size_t>(std::countr_zero(escapes)), kWide);
  }
#endif
  if (s[i] == '\\' && i + 1 < s.size()) return 0;
  *to = s[i];
  *origin = static_cast<std::uint32_t>(i);
  return 1;
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
    const auto put_point = [&](int point) {
      for (const char byte : as_utf8(static_cast<std::uint32_t>(point)))
        put(byte);
    };
    if (const std::size_t plain = plain_bytes(s, i, to, origin); plain > 0) {
      to += plain;
      origin += plain;
      i += plain;
      continue;
    }
    out.changed = true;
    const int unit = escaped_code_unit(s.substr(i));
    const int low = unit >= 0xD800 && unit < 0xDC00 ? escaped_code_unit(s.substr(i + 6)) : -1;
    if (low >= 0xDC00 && low < 0xE000) {
      const int point = 0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF);
      put_point(point);
      i += 12;
    } else if (unit < 0) {
      put(ascii::unescaped(s[i + 1]));
      i += 2;
    } else {
      put_point(unit);  // half a surrogate pair gives something that is no UTF-8
      i += 6;
    }
  }
  *origin++ = static_cast<std::uint32_t>(s.size());
  out.text.resize(static_cast<std::size_t>(to - out.text.data()));
  out.origin.resize(static_cast<std::size_t>(origin - out.origin.data()));
}

}  // namespace memd::redaction

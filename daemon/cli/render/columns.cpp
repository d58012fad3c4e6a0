#include "daemon/cli/render/columns.hpp"

#include <clocale>
#include <cwchar>

#ifdef __APPLE__
#include <xlocale.h>
#else
#include <locale.h>
#endif

namespace memd::cli {
namespace {

// A UTF-8 locale, because wcwidth() uses the locale of the thread. C.UTF-8 exists without any installed language.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ == nullptr) locale_ = ::newlocale(LC_CTYPE_MASK, "en_US.UTF-8", nullptr);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

  std::size_t width(char32_t c) const {
    if (locale_ == nullptr) return 1;
    const locale_t before = ::uselocale(locale_);
    const int columns = ::wcwidth(static_cast<wchar_t>(c));
    ::uselocale(before);
    return columns < 0 ? 1 : static_cast<std::size_t>(columns);  // a character that the locale's tables do not have yet
  }

 private:
  locale_t locale_;
};

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

// Decodes the first code point of well-formed UTF-8.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 1 || length > text.size()) return {lead, 1};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (byte(i) & 0x3FU);
  return {code, length};
}

std::size_t width_of(const Character& c) {
  static const Utf8Locale locale;
  return c.code < 0x7F ? 1 : locale.width(c.code);
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    columns += width_of(c);
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Character c = first_character(text.substr(bytes));
    used += width_of(c);
    if (used > columns) break;
    bytes += c.bytes;
  }
  return bytes;
}

}  // namespace memd::cli

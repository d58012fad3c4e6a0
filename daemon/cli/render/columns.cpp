#include "daemon/cli/render/columns.hpp"

#include "schemas/base/utf8.hpp"

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

std::size_t width_of(const CodePoint& c) {
  static const Utf8Locale locale;
  return c.code < 0x7F ? 1 : locale.width(c.code);
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (CodePoint c; (c = code_point_at(text, 0)).length > 0; text.remove_prefix(c.length))
    columns += width_of(c);
  return columns;
}

std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  std::size_t bytes = 0;
  for (CodePoint c; (c = code_point_at(text, bytes)).length > 0; bytes += c.length) {
    used += width_of(c);
    if (used > columns) break;
  }
  return bytes;
}

}  // namespace memd::cli

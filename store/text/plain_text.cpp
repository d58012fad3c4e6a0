#include "store/text/plain_text.hpp"

#include "schemas/ascii.hpp"
#include "store/text/text_shape.hpp"

namespace memd {

std::string plain_sentence(std::string_view text) {
  std::string out = ascii::one_line(text);
  std::size_t begin = 0;
  for (bool marked = true; marked;) {
    const std::string_view rest = std::string_view(out).substr(begin);
    marked = false;
    for (const std::string_view mark :
         {"•", "✅", "✓", "✔", "❌", "☑", "\xEF\xB8\x8F", "-", "*", "+", ">", "#", "|", "_", " "})
      if (rest.starts_with(mark)) {
        begin += mark.size();
        marked = true;
        break;
      }
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (!marked && digits != 0 && digits <= 3 && digits + 1 < rest.size() &&
        (rest[digits] == '.' || rest[digits] == ')') && rest[digits + 1] == ' ') {
      begin += digits + 2;
      marked = true;
    }
  }
  out.erase(0, begin);
  for (std::size_t at = out.find("**"); at != std::string::npos; at = out.find("**", at))
    out.erase(at, 2);
  return out;
}

std::string shortened(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  constexpr std::string_view kMark = "…";
  if (bytes < kMark.size()) return {};
  const std::size_t limit = bytes - kMark.size();
  std::size_t end = text.rfind(' ', limit);
  if (end == std::string::npos || end < limit / 2) end = limit;
  while (end > 0 && is_utf8_tail(text, end))
    --end;
  text.resize(end);
  return text.append(kMark);
}

}  // namespace memd

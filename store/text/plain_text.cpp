#include "store/text/plain_text.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"

#include <algorithm>
#include <array>

namespace memd {

std::string first_line(std::string_view text, std::size_t limit) {
  std::string out;
  out.reserve(std::min(text.size(), limit) + 4);
  bool space = false;
  for (std::size_t at = 0; at < text.size() && out.size() <= limit;) {
    const auto is_of_word = [](char c) { return static_cast<unsigned char>(c) > 0x20; };
    std::size_t end = at;
    while (end < text.size() && end - at <= limit && is_of_word(text[end]))
      ++end;
    if (end > at) {
      if (space) out += ' ';
      space = false;
      out.append(text, at, end - at);
      at = end;
      continue;
    }
    const char c = text[at++];
    if (c == '\n' && !out.empty()) break;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      space = !out.empty();
      continue;
    }
    if (space) out += ' ';
    space = false;
    out += ' ';
  }
  if (out.size() > limit) {
    out.resize(utf8_prefix(out, limit - 3).size());
    out += "…";
  }
  return out;
}

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

bool ends_in_question_mark(std::string_view sentence) { return sentence.ends_with('?') || sentence.ends_with("？"); }

bool shows_screen(std::string_view text) {
  constexpr std::array<std::string_view, 6> kSigns{"⏺", "⎿", "│", "└", "❯", "➜"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

namespace {

constexpr std::string_view kEllipsis = "…";

// Returns the longest prefix of at most `limit` bytes that ends at a word, else at a character where the last word is
// longer than half of the limit.
std::string_view prefix_at_word(std::string_view text, std::size_t limit) {
  std::size_t end = text.rfind(' ', limit);
  if (end == std::string_view::npos || end < limit / 2) end = limit;
  return utf8_prefix(text, end);
}

}  // namespace

std::string shortened(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  if (bytes < kEllipsis.size()) return {};
  text.resize(prefix_at_word(text, bytes - kEllipsis.size()).size());
  return text.append(kEllipsis);
}

std::string shortened_to_characters(std::string text, std::size_t characters) {
  if (text.size() <= characters) return text;
  if (characters == 0) return {};
  std::size_t limit = text.size();  // the byte at which the last character that may stand begins
  std::size_t begun = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_utf8_tail(text, i)) continue;
    if (++begun == characters) limit = i;
    if (begun > characters) break;
  }
  if (begun <= characters) return text;
  text.resize(prefix_at_word(text, limit).find_last_not_of(" \t") + 1);
  return text.append(kEllipsis);
}

}  // namespace memd

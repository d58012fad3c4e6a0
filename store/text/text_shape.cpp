#include "store/text/text_shape.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>

namespace memd {
namespace {

bool is_word(char c) { return ascii::is_word(c) || ascii::is_beyond(c); }

bool is_abbreviation(std::string_view word) {
  constexpr std::array<std::string_view, 11> kKnown{"e.g",  "i.e", "vs", "cf",  "approx", "incl",
                                                    "resp", "fig", "mr", "mrs", "dr"};
  if (word.size() == 1) return ascii::is_upper(word[0]) && word[0] != 'I';
  return std::find(kKnown.begin(), kKnown.end(), ascii::lowered(word)) != kKnown.end();
}

}  // namespace

void FenceTracker::line(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size() && (line[i] == ' ' || line[i] == '\t'))
    ++i;
  if (i >= line.size() || (line[i] != '`' && line[i] != '~')) return;
  const char mark = line[i];
  const std::size_t begin = i;
  while (i < line.size() && line[i] == mark)
    ++i;
  const std::size_t length = i - begin;
  if (length < 3) return;
  const std::string_view rest = line.substr(i);
  if (length_ == 0) {
    if (mark == '`' && rest.find('`') != std::string_view::npos) return;  // inline code
    mark_ = mark;
    length_ = length;
  } else if (mark == mark_ && length >= length_ && rest.find_first_not_of(" \t\r") == std::string_view::npos) {
    length_ = 0;
  }
}

std::size_t sentence_end_at(std::string_view text, std::size_t i) {
  for (const std::string_view wide : {"。", "！", "？"})
    if (text.substr(i, wide.size()) == wide) return i + wide.size();
  const char c = text[i];
  if (c != '.' && c != '!' && c != '?') return 0;
  std::size_t end = i + 1;
  while (end < text.size() && (text[end] == '.' || text[end] == '!' || text[end] == '?'))
    ++end;
  while (end < text.size() && (text[end] == '"' || text[end] == '\'' || text[end] == ')' || text[end] == '*'))
    ++end;
  if (end < text.size() && !ascii::is_space(text[end])) return 0;
  if (c == '.' && end == i + 1) {
    std::size_t begin = i;
    while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.'))
      --begin;
    const std::string_view word = text.substr(begin, i - begin);
    if (word.empty() && (begin == 0 || ascii::is_space(text[begin - 1]))) return 0;
    if (is_abbreviation(word)) return 0;
    // "1. First" opens a list item.
    const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
    if (number && (begin == 0 || text[begin - 1] == '\n')) return 0;
    // "file.cpp. then" with a small letter after it goes on.
    std::size_t next = end;
    while (next < text.size() && text[next] == ' ')
      ++next;
    if (next < text.size() && ascii::is_lower(text[next]) && !word.empty() && word.size() <= 3) return 0;
  }
  return end;
}

}  // namespace memd

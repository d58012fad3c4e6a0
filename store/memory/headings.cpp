#include "store/memory/headings.hpp"

#include "schemas/base/ascii.hpp"

#include <map>
#include <optional>

namespace memd::memory {
namespace {

// A fence is three or more of one character, after at most three blanks.
std::optional<std::string_view> fence_of(std::string_view line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin > 3 || (line[begin] != '`' && line[begin] != '~')) return std::nullopt;
  const auto end = std::min(line.find_first_not_of(line[begin], begin), line.size());
  return end - begin >= 3 ? std::optional(line.substr(begin, end - begin)) : std::nullopt;
}

std::string anchor_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (ascii::is_word(c) || ascii::is_non_ascii(c) || c == '-')
      out += ascii::lower(c);
    else if (c == ' ')
      out += '-';
  }
  return out;
}

// Calls `take(level, line number, text)` for each heading until it returns false.
template <class Take>
void walk(std::string_view markdown, Take take) {
  std::string_view fence;  // the open fence
  for (int number = 1; !markdown.empty(); ++number) {
    const std::string_view line = ascii::take_until(markdown, '\n');
    if (const auto mark = fence_of(line)) {
      if (fence.empty())
        fence = *mark;
      else if (mark->front() == fence.front() && mark->size() >= fence.size())
        fence = {};
      continue;
    }
    const auto level = line.find_first_not_of('#');
    if (!fence.empty() || level == 0 || level == std::string_view::npos || level > 6 || line[level] != ' ') continue;
    std::string_view text = ascii::trimmed(line.substr(level));
    if (const auto last = text.find_last_not_of('#'); last != std::string_view::npos && text[last] == ' ')
      text = ascii::trimmed(text.substr(0, last));  // "# Heading #"
    if (!take(static_cast<int>(level), number, text)) return;
  }
}

}  // namespace

std::vector<Heading> headings_of(std::string_view markdown) {
  std::vector<Heading> out;
  std::map<std::string, int> seen;
  walk(markdown, [&](int level, int line, std::string_view text) {
    std::string anchor = anchor_of(text);
    if (const int times = seen[anchor]++; times > 0) anchor += "-" + std::to_string(times);
    out.push_back({level, line, std::string(text), std::move(anchor)});
    return true;
  });
  return out;
}

std::string first_title(std::string_view markdown) {
  std::string out;
  walk(markdown, [&](int level, int, std::string_view text) {
    if (level == 1) out = text;
    return level != 1;
  });
  return out;
}

}  // namespace memd::memory

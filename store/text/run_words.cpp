#include "store/text/run_words.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace memd {
namespace {

constexpr std::array<std::string_view, 17> kRunWordNames{
    "failing",     "passing",     "counted",          "excused",           "beside",
    "tool_line",   "tool_prefix", "failed_line",      "maybe_failed_line", "error_line",
    "passed_line", "built_line",  "part_passed_line", "part_counts",       "doubt",
    "cut",         "not_ended"};

// Matches a pattern from its beginning: # a number, … anything, $ the end of the line.
bool matches_from(std::string_view line, std::string_view pattern) {
  constexpr std::string_view kGap = "…";
  while (!pattern.empty()) {
    if (pattern == "$") return line.empty();
    if (pattern.starts_with(kGap)) {
      pattern.remove_prefix(kGap.size());
      for (std::size_t at = 0; at <= line.size(); ++at)
        if (matches_from(line.substr(at), pattern)) return true;
      return false;
    }
    if (pattern.front() == '#') {
      const auto digits = std::min(line.find_first_not_of("0123456789.,"), line.size());
      if (digits == 0) return false;
      line.remove_prefix(digits);
    } else {
      if (line.empty() || line.front() != pattern.front()) return false;
      line.remove_prefix(1);
    }
    pattern.remove_prefix(1);
  }
  return true;
}

}  // namespace

const WordList& run_words(RunWord of) {
  static const std::vector<WordList> kLists = read_word_lists(embedded::run_word_files(), kRunWordNames);
  return kLists[static_cast<std::size_t>(of)];
}

bool matches(std::string_view line, RunWord patterns) {
  const WordList& list = run_words(patterns);
  return std::any_of(list.begin(), list.end(), [&](std::string_view pattern) {
    if (pattern.starts_with('^')) return matches_from(line, pattern.substr(1));
    const std::string_view plain = pattern.substr(0, pattern.find_first_of("#$\xE2"));  // up to a "…" at the latest
    for (auto at = line.find(plain); at < line.size(); at = line.find(plain, at + 1))
      if (matches_from(line.substr(at), pattern)) return true;
    return false;
  });
}

}  // namespace memd

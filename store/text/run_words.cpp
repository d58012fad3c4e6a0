#include "store/text/run_words.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <vector>

namespace memd {
namespace {

constexpr std::array<std::string_view, 17> kRunWordNames{
    "failing",     "passing",     "counted",          "excused",           "beside",
    "tool_line",   "tool_prefix", "failed_line",      "maybe_failed_line", "error_line",
    "passed_line", "built_line",  "part_passed_line", "part_counts",       "doubt",
    "cut",         "not_ended"};

constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kOfNumbers = "0123456789.,";

bool is_of_number(char c) { return ascii::is_digit(c) || c == '.' || c == ','; }

// Matches a pattern from its beginning: # a number, … anything, $ the end of the line.
bool matches_from(std::string_view line, std::string_view pattern) {
  while (!pattern.empty()) {
    if (pattern == "$") return line.empty();
    if (pattern.starts_with(kEllipsis)) {
      pattern.remove_prefix(kEllipsis.size());
      const bool is_number = pattern.starts_with('#');
      const bool is_word = !pattern.empty() && !is_number && pattern.front() != '$' && !pattern.starts_with(kEllipsis);
      for (std::size_t at = 0; at <= line.size(); ++at) {
        if (is_word) at = line.find(pattern.front(), at);
        while (is_number && at < line.size() && !is_of_number(line[at]))
          ++at;
        if (at >= line.size() && (is_word || is_number)) return false;
        if (matches_from(line.substr(at), pattern)) return true;
      }
      return false;
    }
    if (pattern.front() == '#') {
      const auto behind = std::find_if_not(line.begin(), line.end(), is_of_number);
      if (behind == line.begin()) return false;
      line.remove_prefix(static_cast<std::size_t>(behind - line.begin()));
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

namespace {

// The patterns of lines by their first byte.
class LinePatterns {
 public:
  LinePatterns() {
    for (auto list = static_cast<unsigned>(RunWord::tool_line); list < kRunWordNames.size(); ++list)
      for (const std::string& pattern : run_words(static_cast<RunWord>(list)))
        add(static_cast<RunWord>(list), pattern);
  }

  RunMarks marks(std::string_view line) const {
    RunMarks out;
    if (line.empty()) return out;
    compare(line, 0, anchored_, out);
    for (std::size_t at = 0; at < line.size(); ++at)
      if (begins_[pair(line[at], at + 1 < line.size() ? line[at + 1] : '\0')]) compare(line, at, anywhere_, out);
    return out;
  }

 private:
  struct Pattern {
    RunWord list;
    std::string_view words;  // up to the first #, … or $
    std::string_view rest;
  };
  using ByFirst = std::array<std::vector<Pattern>, 256>;

  static std::size_t pair(char first, char second) {
    return static_cast<std::size_t>(static_cast<unsigned char>(first)) << 8U | static_cast<unsigned char>(second);
  }

  static void compare(std::string_view line, std::size_t at, const ByFirst& patterns, RunMarks& out) {
    const bool in_number = at > 0 && is_of_number(line[at - 1]);  // whose beginning was compared
    line.remove_prefix(at);
    for (const Pattern& pattern : patterns[static_cast<unsigned char>(line.front())]) {
      if (in_number && pattern.words.empty()) continue;
      if (line.starts_with(pattern.words) && matches_from(line.substr(pattern.words.size()), pattern.rest))
        out.add(pattern.list);
    }
  }

  void add(RunWord list, std::string_view pattern) {
    const bool anchored = pattern.starts_with('^');
    if (anchored) pattern.remove_prefix(1);
    const std::string_view first = pattern.front() == '#' ? kOfNumbers : pattern.substr(0, 1);
    const std::size_t words = std::min({pattern.find('#'), pattern.find(kEllipsis), pattern.find('$'), pattern.size()});
    const Pattern added{list, pattern.substr(0, words), pattern.substr(words)};
    for (const char c : first) {
      (anchored ? anchored_ : anywhere_)[static_cast<unsigned char>(c)].push_back(added);
      if (anchored) continue;
      const std::string_view rest = pattern.substr(1);
      const bool is_known = pattern.front() != '#' && !rest.empty() && rest.front() != '#' && rest.front() != '$' &&
                            !rest.starts_with(kEllipsis);
      for (unsigned second = 0; second < 256; ++second)
        if (!is_known || static_cast<char>(second) == rest.front()) begins_.set(pair(c, static_cast<char>(second)));
    }
  }

  ByFirst anchored_;
  ByFirst anywhere_;
  std::bitset<0x10000> begins_;  // two bytes with which a pattern of anywhere_ may begin
};

}  // namespace

RunMarks run_marks(std::string_view line) {
  static const LinePatterns kPatterns;
  return kPatterns.marks(line);
}

}  // namespace memd

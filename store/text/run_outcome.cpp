#include "store/text/run_outcome.hpp"

#include "schemas/ascii.hpp"
#include "store/text/shell_line.hpp"

#include <algorithm>
#include <array>

namespace memd {
namespace {

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& marks) {
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view m) { return text.find(m) != text.npos; });
}

// Returns whether the line has a pipe or a later command that may hide the exit code.
bool hides_exit_code(std::string_view line) {
  using continuity::next_separator;
  for (auto at = next_separator(line, 0); at != std::string_view::npos; at = next_separator(line, at + 1))
    if (line[at] == ';' || line[at] == '|') return true;
  return false;
}

// Returns whether the count before the word is not zero: "3 failed", "1 failure", but not "0 failed".
bool counts(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (at < 2 || text[at - 1] != ' ' || !ascii::is_digit(text[at - 2])) continue;
    for (std::size_t i = at - 1; i-- > 0 && ascii::is_digit(text[i]);)
      if (text[i] != '0') return true;
  }
  return false;
}

bool tells_failure(std::string_view output) {
  constexpr std::array<std::string_view, 7> kMarks{"--- FAIL", "FAIL\t",  "FAIL:",  "FAIL ",
                                                   "FAILED",   "panic: ", "not ok "};
  constexpr std::array<std::string_view, 4> kCounted{"failed", "failing", "failure", "error"};
  const bool line_alone = output.ends_with("\nFAIL") || output.find("\nFAIL\n") != std::string_view::npos;  // go test
  return line_alone || has_any(output, kMarks) ||
         std::any_of(kCounted.begin(), kCounted.end(), [&](std::string_view word) { return counts(output, word); });
}

bool tells_success(std::string_view output) {
  constexpr std::array<std::string_view, 7> kMarks{"PASS", "passed", "ok  ", "ok\t", " 0 failures", " passing", "ok 1"};
  return has_any(output, kMarks);
}

}  // namespace

RunOutcome run_outcome(std::string_view line, bool reported_failed, std::string_view begin, std::string_view end) {
  if (reported_failed) return RunOutcome::failed;
  if (!hides_exit_code(line)) return RunOutcome::passed;
  if (tells_failure(begin) || tells_failure(end)) return RunOutcome::failed;
  return tells_success(begin) || tells_success(end) ? RunOutcome::passed : RunOutcome::unknown;
}

}  // namespace memd

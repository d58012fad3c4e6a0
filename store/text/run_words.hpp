#pragma once

#include "schemas/base/word_lists.hpp"

#include <cstdint>
#include <string_view>

namespace memd {

// Words and lines by which runners of tests and builds tell how a run ended. Each is a list with the same name in
// store/text/runs/run_output.words, which says what is in it.
enum class RunWord : std::uint8_t {
  failing,
  passing,
  counted,
  excused,
  beside,
  tool_line,
  tool_prefix,
  failed_line,
  maybe_failed_line,
  error_line,
  passed_line,
  built_line,
  part_passed_line,
  part_counts,
  doubt,
  cut,
  not_ended,
};

// Thread-safe.
const WordList& run_words(RunWord of);

// The lists of lines of which a line matches a pattern.
class RunMarks {
 public:
  bool has(RunWord list) const { return (bits_ >> static_cast<unsigned>(list) & 1U) != 0; }
  void add(RunWord list) { bits_ |= 1U << static_cast<unsigned>(list); }

 private:
  std::uint32_t bits_ = 0;
};

// Compares a line with the patterns of all lists of lines, in one pass over it. Thread-safe.
RunMarks run_marks(std::string_view line);

}  // namespace memd

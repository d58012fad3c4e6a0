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

// Returns whether a line matches one of the patterns of a list. Thread-safe.
bool matches(std::string_view line, RunWord patterns);

}  // namespace memd

#pragma once

#include <string_view>

namespace memd {

// The counts of a line that a runner prints: "38 passed, 2 failed", "Failures: 1", "1 of 3 failed".
struct RunCounts {
  int counts = 0;
  int foreign = 0;  // words that do not belong to a summary
  bool fails = false;
  bool passes = false;
  bool says_none_failed = false;
  bool things = false;      // something was counted: "12 tests"
  bool incomplete = false;  // "3 of 5 passed"
  bool timed = false;       // "passed in 0.2s"
};

// `line`: without colours. Pure; thread-safe.
RunCounts read_run_counts(std::string_view line);

}  // namespace memd

#pragma once

#include "schemas/event.hpp"

#include <string>
#include <string_view>

// Formats of the one-line summaries of events that are read back from them.
namespace memd {

// Of a test run: "<outcome>: <the call's summary>".
inline std::string test_run_summary(RunOutcome outcome, std::string_view call) {
  return std::string(to_string(outcome)).append(": ").append(call);
}
inline RunOutcome outcome_of_test_run(std::string_view summary) {
  for (const auto outcome : {RunOutcome::passed, RunOutcome::failed})
    if (summary.starts_with(test_run_summary(outcome, {}))) return outcome;
  return RunOutcome::unknown;
}

// Of a lifecycle event: "<name>" or "<name>: <detail>".

// Returns the name; empty for an event of another kind.
inline std::string_view lifecycle_of(EventKind kind, std::string_view summary) {
  if (kind != EventKind::lifecycle) return {};
  return summary.substr(0, summary.find(':'));
}

// Written when the directory or the branch changes: "cwd_change: <new>", "branch_change: <old> -> <new>". Never
// shortened, because the state at an earlier point is read back from them.
inline constexpr std::string_view kCwdChange = "cwd_change: ";
inline constexpr std::string_view kBranchChange = "branch_change: ";
inline constexpr std::string_view kBranchArrow = " -> ";

}  // namespace memd

#pragma once

#include "schemas/event.hpp"

#include <string_view>

// Format of the one-line summaries of lifecycle events: "<name>" or "<name>: <detail>".
namespace memd {

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

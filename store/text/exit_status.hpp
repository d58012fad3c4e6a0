#pragma once

#include "schemas/tool_facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd {

// What an exit status says about the runs of a purpose that it covers.
struct StatusBearing {
  bool covers = false;        // there is such a run
  bool zero_passes = true;    // zero: all of them passed
  bool nonzero_fails = true;  // non-zero: one of them failed
};

// A line that the command line prints about a status: `echo "EXIT=$?"`, `… && echo OK || echo BAD`.
struct PrintedStatus {
  enum class When : unsigned char { always, zero, nonzero };
  When when = When::always;  // always: the number of the status stands between `before` and `behind`
  std::string before;        // else: the whole line
  std::string behind;
  StatusBearing bearing;
};

// How the exit code of a command line, and what it prints, depend on its test runs or builds. A pipe, `;`, `||`, `&`,
// a loop or a branch may hide their exit codes; `set -o pipefail`, `exit $?` and the like uncover them.
struct LineStatus {
  StatusBearing exit;
  std::vector<PrintedStatus> printed;
  // A filter behind a run shows the beginning of its output, or chosen lines, so that its end is not seen.
  bool end_is_cut = false;
};

// `purpose`: test or build. Pure; thread-safe.
LineStatus read_line_status(std::string_view line, CommandPurpose purpose);

}  // namespace memd

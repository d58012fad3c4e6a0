#pragma once

#include "schemas/tool_facts.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace memd {

// What an agent recorded about the end of a command.
struct CommandEnd {
  std::optional<std::int32_t> exit_code;  // of the whole line; nullopt: not recorded
  bool reported_failed = false;           // the tool reports an error
  bool ended = true;                      // false: it was interrupted, or runs on in the background
  std::string_view output;                // its beginning, or all of it
  std::string_view output_end;            // its last lines, if `output` is not the whole
};

// Returns the outcome of the tests that a command line runs, or of its build. This is the only place that decides it;
// rows, answers, packs and the outcome of a session use what was stored. In this order:
//   1. A failure that the line's exit code cannot hide, and that the tool reports, is one.
//   2. A summary of the output that counts failures is one, whatever the exit code.
//   3. A status that the line prints (`echo "EXIT=$?"`) decides.
//   4. Exit code 0 passes, if the line cannot hide a failure from it.
//   5. The rest of the output decides; what it does not say is unknown.
RunOutcome run_outcome(std::string_view line, CommandPurpose purpose, const CommandEnd& end);

}  // namespace memd

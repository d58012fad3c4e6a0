#pragma once

#include "daemon/cli/command.hpp"
#include "protocol/mcp/describe.hpp"
#include "store/read/command_history.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd::cli {

struct PastCommandOut : CommandRuns {
  std::string command;
  std::string last;
  std::string agent;
  std::string session;
  std::string turn;
};
struct PastCommandsReport {
  std::vector<PastCommandOut> commands;
  std::int64_t total = 0;
};

// A failed command, and how its error ended where it was met.
struct FailureOut {
  PastCommandOut run;
  std::string error;
  std::optional<std::string> met_in;
  std::optional<std::string> ended_by;
  std::optional<std::string> ended_how;
  std::optional<std::string> ended_in;
};
struct FailuresReport {
  std::vector<FailureOut> failures;
  std::int64_t total = 0;
};

std::vector<Command> run_commands();  // cmd, fix

}  // namespace memd::cli

MEMD_DESCRIBE(memd::cli::PastCommandOut, field<&T::command>("As the agent wrote it."),
              field<&T::directory>("Of its last run; empty: unknown."), field<&T::times>("How often it ran."),
              field<&T::failures>("Of those, failed."), field<&T::last>("When it last ran, RFC 3339."),
              field<&T::failed>("Of its last run."), field<&T::exit_code>("Of its last run; absent: not told."),
              field<&T::agent>("Of its last run."), field<&T::session>("Of its last run."),
              field<&T::turn>("Of its last run; empty: before the first turn."));
MEMD_DESCRIBE(
    memd::cli::PastCommandsReport,
    field<&T::commands>("Those that begin with the words first; of these and the others, the one that ran last first."),
    field<&T::total>("With those that -n leaves out."));
MEMD_DESCRIBE(memd::cli::FailureOut, field<&T::run>("The runs that failed."),
              field<&T::error>("What the tool said, from the line on that tells the error."),
              field<&T::met_in>("The turn in which the error was met before it ended; absent: it has not ended."),
              field<&T::ended_by>("What was done between, before the command passed."),
              field<&T::ended_how>("Its lines: what was changed last, or the whole command."),
              field<&T::ended_in>("The turn in which it passed."));
MEMD_DESCRIBE(memd::cli::FailuresReport,
              field<&T::failures>(
                  "Those of commands that begin with the words first; of these and the others, the last one first."),
              field<&T::total>("With those that -n leaves out."));

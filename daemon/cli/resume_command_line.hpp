#pragma once

#include "schemas/base/result.hpp"
#include "schemas/session_row.hpp"

#include <string>
#include <string_view>
#include <vector>

// Command lines that start agents. Pure functions; any thread.
namespace memd::cli {

struct AgentCommand {
  std::vector<std::string> words;  // program and arguments
};

// Returns the command that opens the session in its own agent. Errc::unsupported says why the agent cannot.
Result<AgentCommand> resume_command_line(const SessionRow& session);

// Returns the command that starts a client (named as in `memd setup`) with a first prompt. Errc::unsupported: it
// accepts none.
Result<AgentCommand> start_command_line(std::string_view client, const std::string& prompt);

// Returns a shell command that changes to the directory first.
std::string as_shell_line(const AgentCommand& command, std::string_view directory);

}  // namespace memd::cli

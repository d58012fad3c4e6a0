#pragma once

#include "schemas/error.hpp"
#include "schemas/query.hpp"

#include <string>
#include <string_view>
#include <vector>

// How agents are started. Pure functions; any thread.
namespace memd::cli {

struct AgentCommand {
  std::vector<std::string> words;  // the program first
};

// What opens the session in its own agent. Errc::unsupported says why an agent cannot.
Result<AgentCommand> resume_command_line(const SessionRow& session);

// What starts a client (as `memd setup` calls it) with a first prompt. Errc::unsupported: it takes none.
Result<AgentCommand> start_command_line(std::string_view client, const std::string& prompt);

// For a shell, with a change of directory before.
std::string as_shell_line(const AgentCommand& command, std::string_view directory);

}  // namespace memd::cli

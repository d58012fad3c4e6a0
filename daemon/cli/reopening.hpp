#pragma once

#include "daemon/cli/resume_command_line.hpp"
#include "schemas/error.hpp"
#include "schemas/query.hpp"
#include "store/reader.hpp"

#include <filesystem>
#include <string>
#include <string_view>

// A session back in the agent that it comes from. One thread.
namespace memd::cli {

struct Reopening {
  AgentCommand command;
  std::string directory;  // of the session; empty: not known
};

// `session` as SessionQuery takes it. Errc::unsupported says why its agent cannot, and what can be done.
Result<Reopening> reopening_of(Reader& reader, std::string_view session);

// Errc::not_found: agents look for sessions by their directory, and it has gone.
Result<std::filesystem::path> directory_to_enter(const std::string& directory);

// This process becomes the agent's, in its directory: comes back only with an error.
Result<int> become(const AgentCommand& command, const std::filesystem::path& directory);

}  // namespace memd::cli

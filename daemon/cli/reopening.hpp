#pragma once

#include "daemon/cli/resume_command_line.hpp"
#include "schemas/base/result.hpp"

#include <filesystem>
#include <string>
#include <string_view>

// Reopening a session in the agent that it comes from. One thread.
namespace memd {
class Reader;
}

namespace memd::cli {

struct Reopening {
  AgentCommand command;
  std::string directory;  // working directory of the session; empty: unknown
};

// `session` as SessionQuery accepts it. Errc::unsupported says why its agent cannot reopen it, and what to do instead.
Result<Reopening> reopening_of(Reader& reader, std::string_view session);

// Returns the directory to change to. Errc::not_found: it no longer exists, and agents find sessions by their
// directory.
Result<std::filesystem::path> directory_to_enter(const std::string& directory);

// Replaces this process by the agent, in its directory. Returns only on error.
Result<int> become(const AgentCommand& command, const std::filesystem::path& directory);

}  // namespace memd::cli

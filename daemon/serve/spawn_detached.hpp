#pragma once

#include "schemas/error.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace memd {

struct DetachedProcess {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // without the program's name
  int stdin_fd = -1;
  int output_fd = -1;            // stdout and stderr
  int kept_fd = -1;              // arrives as descriptor 3; every other one above it is closed
  std::string kept_fd_variable;  // the environment variable set to "3"
};

// Starts a process that is no child of this one: its own session, working directory /, umask 077, default signals.
// That it cannot be executed shows in its output, not here. Only async-signal-safe calls happen after the fork.
Result<void> spawn_detached(const DetachedProcess& process);

}  // namespace memd

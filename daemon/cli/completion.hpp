#pragma once

#include "daemon/cli/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd::cli {

// The possible completions of a command line.
struct Completion {
  enum class Values { none, files, directories, platforms, projects, sessions };
  struct Candidate {
    std::string text;
    std::string help;
  };
  std::vector<Candidate> candidates;  // they begin with the last word
  Values values = Values::none;       // values of this kind are possible, too
};

// Completes `words`, the arguments after "memd". The last one is unfinished and may be empty. Pure.
Completion complete(const std::vector<Command>& commands, const std::vector<Option>& global,
                    const std::vector<std::string>& words);

// Returns a script for bash, zsh or fish that calls `memd complete`.
std::string completion_script(std::string_view shell);

// `memd completion SHELL` and `memd complete -- WORD…`. Borrows both lists, which must outlive the commands.
std::vector<Command> completion_commands(const std::vector<Command>& commands, const std::vector<Option>& global);

}  // namespace memd::cli

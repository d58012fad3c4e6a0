#pragma once

#include "daemon/cli/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd::cli {

// What may stand where a command line is being completed.
struct Completion {
  enum class Values { none, files, directories, platforms, projects, sessions };
  struct Candidate {
    std::string text;
    std::string help;
  };
  std::vector<Candidate> candidates;  // that begin as the last word does
  Values values = Values::none;       // these, too
};

// `words`: what stands behind "memd", the last one unfinished, it may be empty. Pure.
Completion complete(const std::vector<Command>& commands, const std::vector<Option>& global,
                    const std::vector<std::string>& words);

// bash, zsh or fish: a script that asks `memd complete`.
std::string completion_script(std::string_view shell);

// `memd completion SHELL` and `memd complete -- WORD…`. Borrows both lists, which must outlive the commands.
std::vector<Command> completion_commands(const std::vector<Command>& commands, const std::vector<Option>& global);

}  // namespace memd::cli

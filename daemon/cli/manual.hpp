#pragma once

#include "daemon/cli/command.hpp"

#include <string>
#include <vector>

// Manual pages in the language of man(7), generated from the same commands as the parser. Pure; any thread.
namespace memd::cli {

// Returns memd(1).
std::string manual_page(const std::vector<Command>& commands, const std::vector<Option>& global);
// Returns memd-search(1), memd-memory(1) with its subcommands, …
std::string manual_page(const Command& command);

// Return the sections below `memd --help`, which the manual contains, too.
std::string examples_text();
std::string exit_codes_text();

}  // namespace memd::cli

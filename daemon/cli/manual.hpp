#pragma once

#include "daemon/cli/command.hpp"

#include <string>
#include <vector>

// Manual pages in the language of man(7), made from the commands that the parser is made from. Pure; any thread.
namespace memd::cli {

// memd(1).
std::string manual_page(const std::vector<Command>& commands, const std::vector<Option>& global);
// memd-search(1), memd-memory(1) with its subcommands, …
std::string manual_page(const Command& command);

// The words below `memd --help`, which the manual has, too.
std::string examples_text();
std::string exit_codes_text();

}  // namespace memd::cli

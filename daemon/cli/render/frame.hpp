#pragma once

#include "daemon/cli/render/screen.hpp"
#include "daemon/tools/answer.hpp"

#include <string>
#include <vector>

namespace memd::cli {

// What stands above every answer: why nothing new is stored, what an answer could not cover, and where it looked.
// `headline` says what was found.
void print_above(Screen& screen, const tools::Answer& answer, const Line& headline);
// What stands below: sources that are not read yet, and commands to go on with. Only on a terminal.
void print_below(Screen& screen, const tools::Answer& answer, const std::vector<std::string>& commands);

}  // namespace memd::cli

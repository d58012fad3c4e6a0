#pragma once

#include "daemon/cli/render/screen.hpp"
#include "daemon/tools/answer.hpp"

#include <string>
#include <vector>

namespace memd::cli {

// Prints the notice above an answer: why ingest is stopped, what the answer does not cover, and the searched scope.
// `headline` says what was found.
void print_above(Screen& screen, const tools::Answer& answer, const Line& headline);
// Prints the lines below an answer: sources not read yet, and follow-up commands. Only on a terminal.
void print_below(Screen& screen, const tools::Answer& answer, const std::vector<std::string>& commands);

}  // namespace memd::cli

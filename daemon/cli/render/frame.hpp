#pragma once

#include "daemon/cli/render/screen.hpp"
#include "daemon/tools/answer.hpp"

#include <string>
#include <vector>

namespace memd::cli {

// Prints the lines above an answer: why ingest is stopped, the answer's notice, the platforms not searched, and
// `headline` (what was found) followed by the searched scope.
void print_above(Screen& screen, const tools::Answer& answer, const Line& headline);
// Prints the lines below an answer: sources not read yet and, on a terminal, follow-up commands.
void print_below(Screen& screen, const tools::Answer& answer, const std::vector<std::string>& commands);

}  // namespace memd::cli

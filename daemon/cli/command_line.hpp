#pragma once

namespace memd::cli {

// The whole program: parses the arguments, runs the command, prints. Gives the exit code (command.hpp). Never throws.
int run(int argc, char** argv);

}  // namespace memd::cli

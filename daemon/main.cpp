#include "daemon/cli/command_line.hpp"

int main(int argc, char** argv) { return memd::cli::run(argc, argv); }

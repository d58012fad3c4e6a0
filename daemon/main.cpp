#include "daemon/cli/command.hpp"

int main(int argc, char** argv) { return memd::cli::run(argc, argv); }

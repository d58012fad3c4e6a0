#pragma once

namespace memd::cli {

// Exit codes: part of the command line's contract.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // the command could not do what was asked; the message says why
inline constexpr int kUsage = 2;   // the command line or the configuration makes no sense

// The whole program: parses the arguments, runs the command, prints. Never throws.
int run(int argc, char** argv);

}  // namespace memd::cli

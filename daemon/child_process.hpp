#pragma once

#include "schemas/error.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memd {

// A program to run: without a shell, without input, in a process group of its own.
struct ChildCommand {
  std::vector<std::string> arguments;                   // the first one: the program, looked for in $PATH
  std::optional<std::vector<std::string>> environment;  // "NAME=value"; none: the one of this process
  std::chrono::milliseconds patience{10'000};           // then it and its children are killed
  std::size_t most_output = 1 << 20;                    // bytes
  bool keep_errors = true;                              // false: what it writes to standard error is dropped
};

struct ChildOutput {
  std::string text;  // of standard output
  int exit_code = 0;
};

// Runs a program to its end. Blocks. Errc::unavailable: it cannot be started, was ended by a signal or takes too long;
// Errc::unsupported: it prints more than `most_output`. The message names the program only. Any thread.
Result<ChildOutput> run_child(const ChildCommand& command);

}  // namespace memd

#pragma once

#include "schemas/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// A program to run without a shell, in a process group of its own.
struct ChildCommand {
  std::vector<std::string> arguments;                   // first the program, which is searched in $PATH
  std::optional<std::vector<std::string>> environment;  // "NAME=value"; nullopt: that of this process
  std::chrono::milliseconds patience{10'000};           // time limit; then it and its children are killed
  std::size_t most_output = 1 << 20;                    // bytes; more is an error
  bool keep_errors = true;                              // false: its standard error is discarded
  std::string input{};                                  // standard input
};

struct ChildOutput {
  std::string text;  // standard output
  int exit_code = 0;
};

// Runs a program to its end. Blocks. Errc::unavailable: it cannot be started, was ended by a signal or exceeds the time
// limit; Errc::unsupported: it prints more than `most_output`. The message names the program only. Any thread.
Result<ChildOutput> run_child(const ChildCommand& command);

// Replaces this process by a program, which is searched in $PATH. Returns errno if that fails.
int become_program(const std::vector<std::string>& words);

// Returns the word as a shell reads it: in quotes, if it has a character that means something to one.
std::string shell_word(std::string_view word);

}  // namespace memd

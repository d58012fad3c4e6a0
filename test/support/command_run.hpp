#pragma once

#include "daemon/cli/command.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

namespace memd::test {

struct Printed {
  int code = 0;
  std::string out;
  std::string err;
};

// Runs a command line of memd in this process.
inline Printed run_command(std::vector<std::string> words) {
  words.insert(words.begin(), "memd");
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Printed printed;
  printed.code = cli::run(static_cast<int>(argv.size()), argv.data());
  std::cout.flush();
  printed.out = testing::internal::GetCapturedStdout();
  printed.err = testing::internal::GetCapturedStderr();
  return printed;
}

}  // namespace memd::test

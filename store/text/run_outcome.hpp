#pragma once

#include "schemas/tool_facts.hpp"

#include <string_view>

namespace memd {

// Returns the outcome of a test run or a build. `reported_failed` is the tool's report, the exit code of the last
// program of the line. That need not be the program that tests (`go test ./... | tail`); the output then decides, of
// which `begin` and `end` are known.
RunOutcome run_outcome(std::string_view line, bool reported_failed, std::string_view begin, std::string_view end = {});

}  // namespace memd

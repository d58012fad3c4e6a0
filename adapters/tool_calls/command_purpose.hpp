#pragma once

#include "schemas/tool_facts.hpp"

#include <string_view>

namespace memd::tool_calls {

// Returns the purpose of a shell command line: "cd x && FOO=1 go test ./... | tail" tests, and "cmake --build out"
// builds. A line that does both counts as a test. Checks command words, not arbitrary text containing "test".
CommandPurpose purpose_of(std::string_view command);

inline bool runs_tests(std::string_view command) { return purpose_of(command) == CommandPurpose::test; }

}  // namespace memd::tool_calls

#pragma once

#include "schemas/tool_facts.hpp"

#include <string_view>

namespace memd {

// How a run of tests or a build came out. `reported_failed` is what the agent's tool says: the exit code of the last
// program of the line, which need not be the one that tests (`go test ./... | tail`); then the output decides, of which
// `begin` and `end` are known.
RunOutcome run_outcome(std::string_view line, bool reported_failed, std::string_view begin, std::string_view end = {});

}  // namespace memd

#pragma once

#include <string_view>

namespace memd::continuity {

// failed_before: another run passed later. unknown: the command hides how it ended, and its output does not tell.
enum class TestOutcome { passed, failed, failed_before, unknown };

// How a test run came out. `reported_failed` is what the agent's tool says: the exit code of the last program of the
// line, which need not be the one that tests (`go test ./... | tail`); then the output decides.
TestOutcome test_outcome(std::string_view line, bool reported_failed, std::string_view output);

}  // namespace memd::continuity

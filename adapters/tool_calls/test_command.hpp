#pragma once

#include <string_view>

namespace memd::tool_calls {

// Whether a shell command line runs tests: "cd x && FOO=1 go test ./... | tail". Looks at command words, not at text
// that happens to hold "test".
bool runs_tests(std::string_view command);

}  // namespace memd::tool_calls

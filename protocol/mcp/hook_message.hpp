#pragma once

#include "schemas/error.hpp"

#include <string>
#include <string_view>

namespace memd {

// The members that memd uses of what Claude Code writes to the stdin of a hook.
struct HookInput {
  std::string event;       // "SessionStart"
  std::string session_id;  // native id
  std::string cwd;
  std::string source;  // startup, resume, clear, compact
};

// Absent members are empty, unknown ones are ignored. Errc::invalid_argument: no JSON object.
Result<HookInput> parse_hook_input(std::string_view json);

// The line that a hook of `event` prints so that the model reads `context`.
std::string hook_output(std::string_view event, std::string_view context);

}  // namespace memd

#pragma once

#include "schemas/error.hpp"

#include <string>
#include <string_view>

namespace memd {

// What Claude Code tells a hook on its stdin, as far as memd uses it.
struct HookInput {
  std::string event;       // "SessionStart"
  std::string session_id;  // native id
  std::string cwd;
  std::string source;  // startup, resume, clear, compact
};

// Members that are not there are empty; those nobody knows are passed over. invalid_argument: no JSON object.
Result<HookInput> parse_hook_input(std::string_view json);

// What a hook of that event prints so that the model reads `context`. One line.
std::string hook_output(std::string_view event, std::string_view context);

}  // namespace memd

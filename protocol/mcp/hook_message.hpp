#pragma once

#include "schemas/error.hpp"

#include <string>
#include <string_view>

namespace memd {

// The members that memd uses of what agents write to the stdin of a hook: Claude Code, Codex and Gemini CLI in one
// shape, Cursor in its own.
struct HookInput {
  std::string event;       // "SessionStart", "PreToolUse", "BeforeTool", "postToolUse", …
  std::string session_id;  // native id
  std::string cwd;
  std::string source;  // startup, resume, clear, compact
  // Set for a tool call.
  std::string tool;
  std::string path;  // the file that the call would access
  std::string command;
  std::string output;   // what it said; empty before it ran
  bool failed = false;  // the agent says that it did
};

// Absent members are empty, unknown ones are ignored. Errc::invalid_argument: no JSON object.
Result<HookInput> parse_hook_input(std::string_view json);

// The line that a hook of `event` prints so that the model reads `context`. Cursor, whose events begin in lower case,
// has a member of its own for it.
std::string hook_output(std::string_view event, std::string_view context);

}  // namespace memd

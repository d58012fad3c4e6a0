#pragma once

#include "schemas/base/result.hpp"

#include <string>
#include <string_view>

namespace memd {

// The input of a hook, which agents write to its stdin, reduced to the members that memd uses. Claude Code, Codex and
// Gemini CLI share one shape, Cursor has its own.
struct HookInput {
  std::string event;       // "SessionStart", "PreToolUse", "BeforeTool", "postToolUse", …
  std::string session_id;  // native id
  std::string cwd;
  std::string source;  // startup, resume, clear, compact
  std::string prompt;  // of the person
  // Set for a tool call.
  std::string command;
  std::string output;   // of the tool, beginning and end; empty before it ran
  bool failed = false;  // the agent reports that the tool failed
};

// Leaves absent members empty and ignores unknown ones. Errc::invalid_argument: no JSON object.
Result<HookInput> parse_hook_input(std::string_view json);

// Returns the line that a hook of `event` prints so that the model reads `context`. Cursor, whose events begin in lower
// case, has a member of its own for it.
std::string hook_output(std::string_view event, std::string_view context);

}  // namespace memd

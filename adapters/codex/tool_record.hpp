#pragma once

#include "adapters/codex/record_context.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd::codex {

// What a tool gave back. It stands in one of several forms: text; JSON in text
// ({"output", "metadata": {"exit_code"}}, {"content", "isError"}); a list of texts and images.
struct ToolOutput {
  std::string text;
  std::string marker;    // "[image]" for what is not text
  bool failed = false;   // an exit code that is not 0, or words that Codex itself says when a call came to nothing
  std::string answers;   // of request_user_input: "question: answer", a line each
  std::string agent_id;  // of spawn_agent: the thread that was started
};

// `output` may be anything. False only for broken JSON.
bool read_tool_output(RecordContext& context, od::value& output, ToolOutput& out);

// Whether what Codex puts before the output proper says that the call failed: "Exit code: 1", "Process exited with
// code 1", "Script failed", "apply_patch verification failed", "aborted by user", …
bool reports_failure(std::string_view text);

// The shell commands in a script of code mode: the string behind each "cmd:" of `tools.exec_command({cmd: "…"})`.
// Commands put together at run time are not found.
std::vector<std::string> script_commands(std::string_view script);

// What the JSON or JavaScript string around the place `at` means. Empty when there is no string.
std::string string_around(std::string_view text, std::size_t at);

}  // namespace memd::codex

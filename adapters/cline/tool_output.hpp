#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd::cline {

// What a tool_result block says. Its content has many forms: a string; blocks of text, images and files; what the tools
// of the newer store return, {"query", "result", "success", "error"?}, one or a list, as JSON or as JSON in a string;
// the answer of an MCP server or of a subagent as JSON in a string (cline/cline: ToolOperationResult,
// persisted-tool-result-content.ts).
struct ToolOutput {
  std::string text;                       // of all parts, in order; a part of unknown shape as JSON
  std::string marker;                     // of parts without text (json::Media)
  bool failed = false;                    // a part reports a failure
  bool succeeded = false;                 // parts report success, and none a failure or that it still runs
  std::optional<std::int32_t> exit_code;  // of the first command that reports one
  bool replaced = false;                  // characters were replaced
};

ToolOutput read_tool_output(std::string_view json);  // of content that is a list or an object
ToolOutput read_tool_text(std::string_view text);    // of content that is a string, unescaped

}  // namespace memd::cline

#pragma once

#include "protocol/mcp/tool_registry.hpp"

#include <string>
#include <string_view>

namespace memd::tools {

// The text of a tool's answer, for what is made of tools: resources and prompts. `arguments` is the JSON text of an
// object. invalid_argument when the tool says no, store when it fails, not_found when there is no such tool.
Result<std::string> tool_text(const mcp::ToolRegistry& tools, std::string_view tool, std::string_view arguments,
                              mcp::ToolContext& context);

}  // namespace memd::tools

#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <string>
#include <string_view>

namespace memd::tools {

// All tools, in the order in which clients show them.
void register_tools(mcp::ToolRegistry& registry, const ToolServices& services);

// All tools behind one name: conversation_query(action="recent_turns", …). For clients that are better served with one
// tool; off unless the configuration asks for it. To be added last.
void add_conversation_query(mcp::ToolRegistry& registry);

// What the server tells a model about itself at the handshake; at most 2,048 characters.
std::string_view server_instructions();

// The text of a tool's answer, for what is made of tools: resources and prompts. `arguments` is the JSON text of an
// object. invalid_argument when the tool says no, store when it fails, not_found when there is no such tool.
Result<std::string> tool_text(const mcp::ToolRegistry& tools, std::string_view tool, std::string_view arguments,
                              mcp::ToolContext& context);

}  // namespace memd::tools

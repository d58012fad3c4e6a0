#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <string>
#include <string_view>

namespace memd::tools {

// Adds all tools, in the order in which clients show them. What `services` refers to must outlive the registry.
void register_tools(mcp::ToolRegistry& registry, const ToolServices& services);

// Adds all tools behind one name: conversation_query(action="recent_turns", …). For clients that work better with one
// tool; only if the configuration asks for it. Add it last.
void add_conversation_query(mcp::ToolRegistry& registry);

// What the server tells a model about itself at the handshake; at most 2,048 characters.
std::string_view server_instructions();

// The text of a tool's answer, for resources and prompts. `arguments` is the JSON text of an object. Errors: not_found
// when there is no such tool, invalid_argument when the tool refuses, store when it fails.
Result<std::string> tool_text(const mcp::ToolRegistry& tools, std::string_view tool, std::string_view arguments,
                              mcp::ToolContext& context);

}  // namespace memd::tools

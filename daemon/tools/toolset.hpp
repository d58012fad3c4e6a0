#pragma once

#include "schemas/base/result.hpp"

#include <string>
#include <string_view>

namespace memd::mcp {
class ToolContext;
class ToolRegistry;
}  // namespace memd::mcp

namespace memd::tools {

struct ToolServices;

// Adds the history tools, the memory tools if services.home is set, and capabilities, in the order in which clients
// show them. What `services` refers to must outlive the registry.
void register_tools(mcp::ToolRegistry& registry, const ToolServices& services);

// Adds the history tools for the command line: answers are not cut to a number of tokens. Lists still come in pages.
void register_whole_answers(mcp::ToolRegistry& registry, ToolServices services);

// Adds a tool that calls the others: conversation_query(action="recent_turns", …). For clients that work better with
// one tool, and only if the configuration enables it. To be called last.
void add_conversation_query(mcp::ToolRegistry& registry);

// Returns what the server tells a model about itself at the handshake; at most 2,048 characters.
std::string_view server_instructions();

// Calls a tool and returns the text of its answer, for resources and prompts. `arguments` is the JSON text of an
// object. Errors: not_found if there is no such tool, invalid_argument if the tool refuses, store if it fails,
// cancelled.
Result<std::string> tool_text(const mcp::ToolRegistry& tools, std::string_view tool, std::string_view arguments,
                              mcp::ToolContext& context);

}  // namespace memd::tools

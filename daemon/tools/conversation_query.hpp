#pragma once

#include "protocol/mcp/tool_registry.hpp"

namespace memd::tools {

// All tools behind one name: conversation_query(action="recent_turns", …). For clients that are better served with one
// tool; off unless the configuration asks for it. To be added last.
void add_conversation_query(mcp::ToolRegistry& registry);

}  // namespace memd::tools

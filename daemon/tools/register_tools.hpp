#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"

namespace memd::tools {

// All tools, in the order in which clients show them.
void register_tools(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"

// What people may type into templates and prompts. What the services refer to must outlive the functions.
namespace memd::resources {

// Session ids; what was typed is the beginning of one, or stands in its title.
mcp::Completer session_values(const tools::ToolServices& services);
// Projects by name.
mcp::Completer project_values(const tools::ToolServices& services);
// What was talked about.
mcp::Completer topic_values(const tools::ToolServices& services);

}  // namespace memd::resources

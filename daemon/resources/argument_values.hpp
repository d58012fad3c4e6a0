#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"

// Completions for arguments of resource templates and prompts. Thread-safe. The objects that the services refer to must
// outlive the functions.
namespace memd::resources {

// Completes session ids: by prefix of the id, or by a part of the title.
mcp::Completer session_values(const tools::ToolServices& services);
// Completes project names: by a part of the name or the path.
mcp::Completer project_values(const tools::ToolServices& services);
// Completes topics in the history: by a part of the topic.
mcp::Completer topic_values(const tools::ToolServices& services);

}  // namespace memd::resources

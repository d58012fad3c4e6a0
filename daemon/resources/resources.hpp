#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"

#include <string>
#include <string_view>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::resources {

// Adds the parts of history that can be read by URI:
//   memd://session/{id}           the last turns of a session; {id} as tools accept it, including "latest"
//   memd://exchange/{id}          an exchange, x42, with what the agent ran
//   memd://project/{key}/recent   a project's sessions, and how the newest one ended; {key} is part of its path or name
//   memd://diagnostics/{platform} problems with input; {platform} is a key, or "all"
//   memory://…                    memories, see memory_resources.hpp
// Each but the diagnostics reads as the answer of a tool, so its size is bounded and history is in its envelope. The
// list has the newest sessions, their projects, the diagnostics and the memories. The arguments' referents must outlive
// the registry. Its threads call the added functions.
void add_resources(mcp::ResourceRegistry& registry, const tools::ToolServices& services,
                   const mcp::ToolRegistry& tools);

std::string session_uri(std::string_view uid);
std::string project_uri(std::string_view key);

}  // namespace memd::resources

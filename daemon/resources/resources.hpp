#pragma once

#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/offers.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <string>
#include <string_view>

namespace memd::resources {

// The parts of history that can be read by URI:
//   memd://session/{id}           the last turns of a session; {id} as tools take it, "latest" too
//   memd://exchange/{id}          an exchange, x42, with what the agent ran
//   memd://project/{key}/recent   a project's sessions, and how the newest one ended; {key} is part of its path or name
//   memd://diagnostics/{platform} what went wrong with input; {platform} is a key, or "all"
//   memory://…                    memories, see memory_resources.hpp
// Each but the last reads as the answer of a tool, so its size is bounded and history stands in its envelope. The list
// has the newest sessions and their projects. What the arguments refer to must outlive the registry, whose threads call
// what is added.
void add_resources(mcp::ResourceRegistry& registry, const tools::ToolServices& services,
                   const mcp::ToolRegistry& tools);

std::string session_uri(std::string_view uid);
std::string project_uri(std::string_view key);

}  // namespace memd::resources

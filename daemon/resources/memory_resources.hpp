#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"

#include <string>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::resources {

// Adds memories as resources; each reads as the answer of memory_read.
//   memory://{scope}/{slug}               of the user or the organisation: global, enterprise
//   memory://{scope}/{slug}/of/{project}  of a project, an absolute path: project, local
// The arguments' referents must outlive the registry. Its threads call the added functions.
void add_memory_resources(mcp::ResourceRegistry& registry, const tools::ToolServices& services,
                          const mcp::ToolRegistry& tools);

// Returns the memories to list for a client with these roots, the newest first: those of the user and of the client's
// only project. Empty where memory tools are not available.
std::vector<mcp::ResourceEntry> memory_entries(const tools::ToolServices& services, const mcp::ToolContext& context);

std::string memory_uri(const Memory& memory, const std::filesystem::path& project);

}  // namespace memd::resources

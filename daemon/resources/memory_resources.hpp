#pragma once

#include "daemon/memories/notebook.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/offers.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd::resources {

// Memories by URI; each reads as the answer of memory_read.
//   memory://{scope}/{slug}               of the person or the organisation: global, enterprise
//   memory://{scope}/{slug}/of/{project}  of a project, an absolute path: project, local
// What the arguments refer to must outlive the registry, whose threads call what is added.
void add_memory_resources(mcp::ResourceRegistry& registry, const tools::ToolServices& services,
                          const mcp::ToolRegistry& tools);

// The memories that are worth offering to a client with these roots, the newest first: its own and those of its only
// project. None where there are no tools for memories.
std::vector<mcp::ResourceEntry> memory_entries(const tools::ToolServices& services, const mcp::ToolContext& context);

std::string memory_uri(const Memory& memory, const std::filesystem::path& project);

}  // namespace memd::resources

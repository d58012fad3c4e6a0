#pragma once

#include "daemon/admin/process_facts.hpp"
#include "daemon/admin/reports.hpp"
#include "daemon/serve/memory_host.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/tool_registry.hpp"

namespace memd::admin {

// The command line's own questions: `ingest`, `status`, `coverage`, `log`, `doctor`. Built like tools, but not offered
// to agents. The host must outlive the registry.
void register_admin_tools(mcp::ToolRegistry& registry, MemoryHost& host, ProcessFacts facts);

// Offers each of them as the method "memd/<name>", answering {"text", "structured", "is_error"}. The registry must
// outlive the profile.
void add_admin_methods(mcp::ServerProfile& profile, const mcp::ToolRegistry& registry);

}  // namespace memd::admin

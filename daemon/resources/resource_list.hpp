#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"

#include <optional>
#include <string>

namespace memd::resources {

// The main sessions, newest first, in pages; the first begins with the projects they belong to. Platforms that may not
// be looked at are left out, as in the answers of tools.
Result<mcp::ResourcePage> list_resources(const tools::ToolServices& services, const std::optional<std::string>& cursor,
                                         mcp::ToolContext& context);

}  // namespace memd::resources

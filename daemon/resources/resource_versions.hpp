#pragma once

#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"

#include <string_view>

// Numbers that change when a resource reads otherwise, from a few rows: a live tail asks for them after each commit.
namespace memd::resources {

using Version = mcp::ResourceRegistry::Version;

// Errors as Reader::session.
Version session_version(const tools::ToolServices& services, std::string_view reference, mcp::ToolContext& context);
// not_found also for what is no id.
Version exchange_version(const tools::ToolServices& services, std::string_view id, mcp::ToolContext& context);
Version project_version(const tools::ToolServices& services, std::string_view key, mcp::ToolContext& context);
// Of the list: which sessions there are.
Version list_version(const tools::ToolServices& services, mcp::ToolContext& context);

}  // namespace memd::resources

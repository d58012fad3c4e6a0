#pragma once

#include "daemon/admin/admin_service.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <string_view>

namespace memd::admin {

// Registers the methods of the service. They are built like tools but not offered to agents: the command line uses
// them. The host must outlive the registry.
void register_admin_tools(mcp::ToolRegistry& registry, const AdminService& service);
void register_admin_tools(mcp::ToolRegistry& registry, MemoryHost& host, ProcessFacts facts);

inline constexpr std::string_view kAdminMethods = "memd/";
inline constexpr std::string_view kAnswerMethods = "memd/answer/";  // for tools::register_whole_answers

// Adds each tool of `registry` as the method "<prefix><name>", which answers {"text", "structured", "is_error",
// "is_usage"}. The registry must outlive the profile.
void add_admin_methods(mcp::ServerProfile& profile, const mcp::ToolRegistry& registry,
                       std::string_view prefix = kAdminMethods);

}  // namespace memd::admin

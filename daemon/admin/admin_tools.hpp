#pragma once

#include "daemon/host/memory_host.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace memd::admin {

// What the process that answers knows about itself. The functions are called on worker threads.
struct ProcessFacts {
  std::string role = "none";  // StatusReport::role
  std::string socket;
  TimeMs started_at = 0;
  std::function<std::int64_t()> connections;  // may be empty
  std::function<std::string()> watcher;       // may be empty
};

// Adds the command line's own questions: ingest, import, status, coverage, log, diagnostics, doctor,
// retention, recall. They are built like
// tools, but not offered to agents. The host must outlive the registry.
void register_admin_tools(mcp::ToolRegistry& registry, MemoryHost& host, ProcessFacts facts);

inline constexpr std::string_view kAdminMethods = "memd/";
inline constexpr std::string_view kAnswerMethods = "memd/answer/";  // of tools::register_whole_answers

// Offers each tool of `registry` as the method "<prefix><name>", answering {"text", "structured", "is_error",
// "is_usage"}. The registry must outlive the profile.
void add_admin_methods(mcp::ServerProfile& profile, const mcp::ToolRegistry& registry,
                       std::string_view prefix = kAdminMethods);

// Bytes of this process in memory, files that it maps included; 0: the system does not say.
std::uint64_t resident_bytes();

}  // namespace memd::admin

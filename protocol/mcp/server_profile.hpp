#pragma once

#include "protocol/mcp/revision.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/clock.hpp"
#include "schemas/error.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace memd::mcp {

// A method outside MCP, for memd's own command line. Runs like a tool handler. JSON text in, JSON text out.
using ExtensionMethod = std::function<Result<std::string>(std::string_view params, ToolContext&)>;

struct ServerLimits {
  std::size_t max_in_flight = 32;  // of a connection; more wait unread
  std::size_t max_subscriptions = 16;
  std::size_t max_unsent_bytes = 32U << 20;  // a peer that lets more pile up is disconnected
  std::size_t max_line_bytes = 10'000'000;
  TimeMs progress_interval_ms = 50;
};

struct ServerIdentity {
  std::string name;          // "memd"
  std::string title;         // for people
  std::string version;       // "0.1.0"
  std::string instructions;  // how a model should use the tools, at most 2,048 characters
};

// All that is the same for every connection, with the answers that never change rendered once. Constant after
// construction except for add_method, so any thread may read it. Borrows the registry and the clock.
class ServerProfile {
 public:
  // Throws ErrorException when the instructions are too long. The registry has to be complete.
  ServerProfile(ServerIdentity identity, const ToolRegistry& tools, const Clock& clock, ServerLimits limits = {});

  // Before the first session. `name` holds a slash and is none of MCP's: "memd/status".
  void add_method(std::string name, ExtensionMethod method);
  // Told about failures that are ours: a handler that threw, a store that is broken. Called from worker threads.
  void set_failure_log(std::function<void(std::string_view)> log) { failure_log_ = std::move(log); }

  const ToolRegistry& tools() const { return tools_; }
  const Clock& clock() const { return clock_; }
  const ServerLimits& limits() const { return limits_; }
  const ExtensionMethod* find_method(std::string_view name) const;
  void log_failure(std::string_view what) const {
    if (failure_log_) failure_log_(what);
  }

  // Results, as JSON text.
  std::string_view tool_list(Revision r) const { return tool_lists_[static_cast<std::size_t>(r)]; }
  std::string_view initialize_result(Revision r) const { return initialize_results_[static_cast<std::size_t>(r)]; }
  std::string_view discover_result() const { return discover_result_; }
  std::string_view empty_result(Revision r) const { return is_modern(r) ? std::string_view(modern_empty_) : "{}"; }
  std::string subscription_end_result(std::string_view id) const;
  std::string tool_result(const ToolOutcome& outcome, Revision r) const;

 private:
  ServerIdentity identity_;
  const ToolRegistry& tools_;
  const Clock& clock_;
  ServerLimits limits_;
  std::map<std::string, ExtensionMethod, std::less<>> methods_;
  std::function<void(std::string_view)> failure_log_;
  std::string server_info_member_;  // "io.modelcontextprotocol/serverInfo":{…}
  std::array<std::string, kRevisionNames.size()> tool_lists_;
  std::array<std::string, kRevisionNames.size()> initialize_results_;
  std::string discover_result_;
  std::string modern_empty_;
};

}  // namespace memd::mcp

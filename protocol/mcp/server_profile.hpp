#pragma once

#include "protocol/mcp/offers.hpp"
#include "protocol/mcp/revision.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace memd::mcp {

// A method outside MCP, for memd's own command line. Runs like a tool handler. JSON text in, JSON text out.
using ExtensionMethod = std::function<Result<std::string>(std::string_view params, ToolContext&)>;

struct ServerLimits {
  std::size_t max_in_flight = 32;  // running handlers of a connection; then reading pauses
  std::size_t max_subscriptions = 16;
  std::size_t max_watched_resources = 100;   // of a connection
  std::size_t max_unsent_bytes = 32U << 20;  // a peer that does not read them is disconnected
  std::size_t max_line_bytes = 10'000'000;
  TimeMs progress_interval_ms = 50;
  TimeMs heartbeat_ms = 500;             // of silence, after which a running call sends a heartbeat
  TimeMs beat_ms = 250;                  // period of the timer for heartbeats and deadlines
  TimeMs max_call_ms = 120'000;          // of a call; then it is cancelled and answered with an error
  TimeMs max_waiting_call_ms = 900'000;  // the same for ToolInfo::waits
  TimeMs max_late_ms = 10'000;           // of a handler after its call; then another worker takes its worker's place
  std::size_t max_client_waits = 2;      // calls of the process that wait for their client's model; each holds a worker
  TimeMs max_client_wait_ms = 300'000;   // for one answer: a person may have to agree
  TimeMs max_roots_wait_ms = 2000;       // once a connection, for the directories that the client works in
};

struct ServerIdentity {
  std::string name;          // "memd"
  std::string title;         // for people
  std::string version;       // "0.1.0"
  std::string instructions;  // how a model should use the tools, at most 2,048 characters
};

// Data shared by all connections of a process. Renders the constant responses once. Constant once the first
// session exists, so any thread may read it. Borrows the registries and the clock.
class ServerProfile {
 public:
  // Throws ErrorException when the instructions are too long. The registry has to be complete.
  ServerProfile(ServerIdentity identity, const ToolRegistry& tools, const Clock& clock, ServerLimits limits = {},
                Offers offers = {});

  // Call it before the first session. `name` contains a slash and is no method of MCP: "memd/status".
  void add_method(std::string name, ExtensionMethod method);
  // Call it before the first session. `log` receives memd's own failures (a handler that threw, a broken store) and
  // refused connections. Called from workers and the loop.
  void set_failure_log(std::function<void(std::string_view)> log) { failure_log_ = std::move(log); }

  const ToolRegistry& tools() const { return tools_; }
  const ResourceRegistry* resources() const { return offers_.resources; }
  const PromptRegistry* prompts() const { return offers_.prompts; }
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
  std::string subscription_end_result(std::string_view id) const;
  std::string tool_result(const ToolOutcome& outcome, Revision r) const;
  // Open and close the object of a result with the members its era wants. `ttl_ms`: how long the client may cache it.
  void begin_result(json::Writer& w, Revision r, std::string_view type = "complete") const;
  void end_result(json::Writer& w, Revision r, std::optional<TimeMs> ttl_ms = std::nullopt) const;

 private:
  std::string capabilities(Revision r) const;

  ServerIdentity identity_;
  const ToolRegistry& tools_;
  const Clock& clock_;
  ServerLimits limits_;
  Offers offers_;
  std::map<std::string, ExtensionMethod, std::less<>> methods_;
  std::function<void(std::string_view)> failure_log_;
  std::string server_info_member_;  // "io.modelcontextprotocol/serverInfo":{…}
  std::array<std::string, kRevisionNames.size()> tool_lists_;
  std::array<std::string, kRevisionNames.size()> initialize_results_;
  std::string discover_result_;
};

}  // namespace memd::mcp

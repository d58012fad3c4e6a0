#pragma once

#include "daemon/host/settings.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/error.hpp"

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

namespace memd::cli {

// Answers a command: the running daemon, or this process when none runs. Either way the same tools. One thread, but for
// interrupt().
class Caller {
 public:
  using OnProgress = std::function<void(double done, double total, std::string_view message)>;
  virtual ~Caller() = default;
  // `arguments` is the JSON text of an object.
  virtual Result<mcp::ToolOutcome> tool(std::string_view name, std::string_view arguments) = 0;
  // As the tool, but what it found is not cut to a number of tokens (tools::register_whole_answers).
  virtual Result<mcp::ToolOutcome> answer(std::string_view tool, std::string_view arguments) = 0;
  // `name`: ingest, import, status, coverage, log, diagnostics, doctor, retention, forget, capture or memory_catalog.
  virtual Result<mcp::ToolOutcome> admin(std::string_view name, std::string_view arguments,
                                         const OnProgress& on_progress) = 0;
  virtual Result<std::string> tool_list() = 0;  // {"tools": […]}
  // A daemon answers, which reads on.
  virtual bool is_daemon() const = 0;
  // Ends the question that is being asked, with an error. Any thread. A daemon's caller answers no other one.
  virtual void interrupt() = 0;
};

enum class Need {
  read,    // from the store
  ingest,  // write to the store; this process does so only under the instance lock
};
// A daemon that does not answer within `patience` is passed over: `told` says so, questions are answered from the store
// by this process, and what needs the lock is refused.
inline constexpr std::chrono::milliseconds kPatience{5000};
Result<std::unique_ptr<Caller>> open_caller(const Settings& settings, Need need,
                                            std::chrono::milliseconds patience = kPatience,
                                            std::ostream& told = std::cerr);

// Takes the instance lock, for a command that needs the store for itself. With `stop_daemon` a running daemon is asked
// to end first; Errc::store_busy without, or when it does not end.
Result<InstanceLock> lock_store(const Settings& settings, bool stop_daemon);

// Prints an outcome to stdout (its JSON if `as_json`) or its error to stderr. Gives the exit code.
int print(const mcp::ToolOutcome& outcome, bool as_json);

}  // namespace memd::cli

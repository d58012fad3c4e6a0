#pragma once

#include "daemon/serve/instance_lock.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

namespace memd {
struct Settings;
}

namespace memd::cli {

// Executes commands in the running daemon, or in this process when none runs, with the same tools. One thread, except
// for interrupt().
class Caller {
 public:
  using OnProgress = std::function<void(double done, double total, std::string_view message)>;
  virtual ~Caller() = default;
  // `arguments` is the JSON text of an object.
  virtual Result<mcp::ToolOutcome> tool(std::string_view name, std::string_view arguments) = 0;
  // Calls the tool without the limit on the tokens of its result (tools::register_whole_answers).
  virtual Result<mcp::ToolOutcome> answer(std::string_view tool, std::string_view arguments) = 0;
  // `name`: ingest, import, status, coverage, log, diagnostics, doctor, retention, forget, capture or memory_catalog.
  virtual Result<mcp::ToolOutcome> admin(std::string_view name, std::string_view arguments,
                                         const OnProgress& on_progress) = 0;
  virtual Result<std::string> tool_list() = 0;  // {"tools": […]}
  // Returns true if a daemon answers. It keeps ingesting.
  virtual bool is_daemon() const = 0;
  // Cancels the query in progress, which returns an error. Any thread. A RemoteCaller answers no further query.
  virtual void interrupt() = 0;
};

enum class Need {
  read,    // from the store
  ingest,  // write to the store; this process does so only while it holds the instance lock
};
// Time after which a daemon that does not answer is ignored. A warning goes to `told`, this process answers queries
// from the store, and a command that needs the lock is refused.
inline constexpr std::chrono::milliseconds kPatience{5000};
Result<std::unique_ptr<Caller>> open_caller(const Settings& settings, Need need,
                                            std::chrono::milliseconds patience = kPatience,
                                            std::ostream& told = std::cerr);

// Takes the instance lock for a command that needs exclusive access to the store. With `stop_daemon` a running daemon
// is stopped first, and a running command is waited for. Errc::store_busy: another process has the lock and
// `stop_daemon` is false, or it does not stop.
Result<InstanceLock> lock_store(const Settings& settings, bool stop_daemon);

// Names the command that is waited for on stderr. For TakeOver::on_holder.
void tell_who_is_waited_for(const InstanceLock::Attempt& holder);

// Prints an outcome to stdout (as JSON if `as_json`), or its error to stderr. Returns the exit code.
int print(const mcp::ToolOutcome& outcome, bool as_json);

}  // namespace memd::cli

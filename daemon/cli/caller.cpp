#include "daemon/cli/caller.hpp"

#include "daemon/admin/admin_tools.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/serve/daemon_address.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/takeover.hpp"
#include "protocol/mcp/rpc_client.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/json_writer.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace memd::cli {
namespace {

// Says that the command ends, and ends it. For SIGTERM.
void end_on_request(int signal) {
  constexpr std::string_view kWord =
      "\nmemd: asked to end (SIGTERM) before the command was done. What it has committed stays, and the store is "
      "whole: run the command again for the rest\n";
  (void)!::write(STDERR_FILENO, kWord.data(), kWord.size());
  ::signal(signal, SIG_DFL);
  ::kill(::getpid(), signal);
}

// Writes into the lock file which command holds the store, and has it say so when another memd ends it.
Result<void> hold_store(const InstanceLock& lock, const Settings& settings) {
  if (!settings.command.empty()) ::signal(SIGTERM, end_on_request);
  return lock.publish({}, settings.command);
}

class LocalCaller final : public Caller {
 public:
  LocalCaller(const Settings& settings, admin::ProcessFacts facts) : host_(settings, command_clock()) {
    admin::register_admin_tools(admin_, host_, std::move(facts));
  }
  Result<void> take_writer(InstanceLock lock) {
    lock_ = std::move(lock);
    MEMD_TRY(hold_store(*lock_, host_.settings()));
    return host_.start_ingest();
  }
  Result<mcp::ToolOutcome> tool(std::string_view name, std::string_view arguments) override {
    mcp::ToolContext context(begin());
    return host_.tools().call(name, arguments, context);
  }
  Result<mcp::ToolOutcome> answer(std::string_view tool, std::string_view arguments) override {
    mcp::ToolContext context(begin());
    return host_.whole_answers().call(tool, arguments, context);
  }
  Result<mcp::ToolOutcome> admin(std::string_view name, std::string_view arguments,
                                 const OnProgress& on_progress) override {
    mcp::ToolContext context(begin(), on_progress);
    return admin_.call(name, arguments, context);
  }
  Result<std::string> tool_list() override {
    std::string out;
    json::Writer w(out);
    w.begin_object();
    w.member_objects("tools", host_.tools().tools(), [&](const auto& tool) {
      w.member("name", tool.info.name);
      w.member("title", tool.info.title);
      w.member("description", tool.info.description);
      w.member_raw("inputSchema", tool.input_schema);
      w.member_raw("outputSchema", tool.output_schema);
    });
    w.end_object();
    return out;
  }
  bool is_daemon() const override { return false; }
  void interrupt() override {
    const std::lock_guard hold(mutex_);
    stop_.request_stop();
  }

 private:
  std::stop_token begin() {
    const std::lock_guard hold(mutex_);
    if (stop_.stop_requested()) stop_ = std::stop_source();
    return stop_.get_token();
  }

  std::mutex mutex_;
  std::stop_source stop_;             // of the query in progress
  std::optional<InstanceLock> lock_;  // released after the host has stopped writing
  MemoryHost host_;
  mcp::ToolRegistry admin_;
};

class RemoteCaller final : public Caller {
 public:
  RemoteCaller(const Settings& settings, int fd, std::chrono::milliseconds patience)
      : settings_(settings), client_(fd), patience_(patience) {}
  bool is_alive(std::chrono::milliseconds limit) { return client_.is_alive(limit); }
  Result<mcp::ToolOutcome> tool(std::string_view name, std::string_view arguments) override {
    return client_.call_tool(name, arguments);
  }
  Result<mcp::ToolOutcome> admin(std::string_view name, std::string_view arguments,
                                 const OnProgress& on_progress) override {
    return client_.call_admin("memd/" + std::string(name), arguments, on_progress);
  }
  Result<mcp::ToolOutcome> answer(std::string_view tool, std::string_view arguments) override {
    if (!other_) {
      auto outcome = client_.call_admin(std::string(admin::kAnswerMethods) + std::string(tool), arguments);
      if (outcome) return outcome;
      MEMD_TRY_ASSIGN(auto other, open_other(outcome.error()));
      const std::lock_guard hold(mutex_);
      if (!other || interrupted_) return outcome;
      other_ = std::move(other);
    }
    return other_->answer(tool, arguments);
  }
  Result<std::string> tool_list() override { return client_.list_tools(); }
  bool is_daemon() const override { return true; }
  void interrupt() override {
    client_.interrupt();
    const std::lock_guard hold(mutex_);
    interrupted_ = true;
    if (other_) other_->interrupt();
  }

 private:
  // Returns who answers instead of the daemon after this error; null: nobody. A daemon of an older program does not
  // know the method. One that has closed the connection mostly makes room for that of a newer program.
  Result<std::unique_ptr<Caller>> open_other(const Error& error) {
    std::unique_ptr<Caller> other;
    if (error.is(Errc::protocol) && error.message().starts_with("method not found")) {
      other = std::make_unique<LocalCaller>(settings_, admin::ProcessFacts());
    } else if (error.is(Errc::unavailable) && !is_interrupted()) {
      std::ostream nobody(nullptr);  // the screen may belong to the browser
      MEMD_TRY_ASSIGN(other, open_caller(settings_, Need::read, patience_, nobody));
    }
    return other;
  }

  bool is_interrupted() {
    const std::lock_guard hold(mutex_);
    return interrupted_;
  }

  const Settings& settings_;
  RpcClient client_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  bool interrupted_ = false;       // under the mutex
  std::unique_ptr<Caller> other_;  // asked instead; created under the mutex
};

// Returns null if the daemon at the other end does not answer.
std::unique_ptr<Caller> answering(const Settings& settings, UniqueFd fd, std::chrono::milliseconds patience) {
  auto caller = std::make_unique<RemoteCaller>(settings, fd.release(), patience);
  if (!caller->is_alive(patience)) return nullptr;
  return caller;
}

// Waits while a process that has just started creates or migrates the store, which it does before it listens.
Result<void> wait_for_store(const StoreLayout& layout, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto behind = store_is_behind(layout.database());
    if (!behind || !*behind) return {};  // the query will report what is wrong
    const auto maker = InstanceLock::look(layout.data_dir());
    if (maker.holder <= 0 || (::kill(maker.holder, 0) != 0 && errno == ESRCH)) return {};
    if (std::chrono::steady_clock::now() > deadline)
      return Error(Errc::store_busy, "memd (pid " + std::to_string(maker.holder) +
                                         ") is making the store, or bringing it up to date: ask again in a while");
    ::poll(nullptr, 0, 20);
  }
}

}  // namespace

void tell_who_is_waited_for(const InstanceLock::Attempt& holder) {
  if (!holder.ends_by_itself()) return;
  std::cerr << fmt::format("memd: {} holds the store: waiting for it to end (`memd stop --force` ends it)\n",
                           harmless_line(holder.who()));
}

Result<InstanceLock> lock_store(const Settings& settings, bool stop_daemon) {
  if (stop_daemon) {
    MEMD_TRY_ASSIGN(auto lock, take_over(settings.layout.data_dir(), {.on_holder = tell_who_is_waited_for}));
    MEMD_TRY(hold_store(lock, settings));
    return lock;
  }
  MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(settings.layout.data_dir()));
  if (attempt.lock) {
    MEMD_TRY(hold_store(*attempt.lock, settings));
    return std::move(*attempt.lock);
  }
  if (attempt.is_command()) return attempt.busy();
  return Error(Errc::store_busy, "memd (pid " + std::to_string(attempt.holder) +
                                     ") is using the store: stop it, or add --stop-daemon. Clients start a new one "
                                     "when they next ask");
}

Result<std::unique_ptr<Caller>> open_caller(const Settings& settings, Need need, std::chrono::milliseconds patience,
                                            std::ostream& told) {
  MEMD_TRY_ASSIGN(auto daemon, connect_running(settings));
  admin::ProcessFacts facts;
  if (daemon) {
    if (auto caller = answering(settings, std::move(daemon->fd), patience)) return caller;
    facts.role = "silent";
    facts.socket = daemon->socket.string();
    told << "memd: the daemon on " << facts.socket << " does not answer; `memd doctor` says what to do\n";
  }
  if (need == Need::read) {
    MEMD_TRY(wait_for_store(settings.layout, patience));
    return std::unique_ptr<Caller>(new LocalCaller(settings, std::move(facts)));
  }

  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(settings.layout.data_dir()));
  MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(settings.layout.data_dir()));
  if (!attempt.lock) {
    // A daemon may have started just now.
    if (!daemon) {
      if (auto fd = transport::connect_unix(attempt.socket.native()))
        if (auto caller = answering(settings, std::move(*fd), patience)) return caller;
    }
    if (attempt.is_command()) return attempt.busy();
    return Error(Errc::store_busy, "another memd (pid " + std::to_string(attempt.holder) + ") is writing to " +
                                       settings.layout.data_dir().string() + " and does not answer");
  }
  auto local = std::make_unique<LocalCaller>(settings, admin::ProcessFacts());
  MEMD_TRY(local->take_writer(std::move(*attempt.lock)));
  return std::unique_ptr<Caller>(std::move(local));
}

int print(const mcp::ToolOutcome& outcome, bool as_json) {
  if (outcome.is_error) {
    std::cerr << "memd: " << harmless(outcome.text) << '\n';
    return kFailed;
  }
  const std::string text = as_json ? harmless_json(outcome.structured) : harmless(outcome.text);
  std::cout << text << (text.ends_with('\n') ? "" : "\n") << std::flush;
  return std::cout.good() ? kOk : kFailed;
}

}  // namespace memd::cli

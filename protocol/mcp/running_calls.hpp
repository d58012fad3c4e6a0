#pragma once

#include "protocol/mcp/call.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/server_state.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memd::mcp {

// Runs the handler of a call and writes its answer. Used by many workers at once, and by the loop for inline tools.
// Borrows everything.
class CallRunner {
 public:
  CallRunner(const ServerProfile& profile, ServerState& state, ClientRequests& client, ClientRoots& roots)
      : profile_(profile), state_(state), client_(client), roots_(roots) {}

  struct Outcome {
    std::string line;        // the answer; empty: none is sent
    bool succeeded = false;  // Call::on_success is due
    std::string failure;     // of ours, for the client's log; empty: none
  };
  // Never throws.
  Outcome run(const Call& call, ToolContext& context) const;

 private:
  Outcome run_in_rounds(const Call& call, ToolContext& context) const;
  Outcome run_work(const Call& call, ToolContext& context) const;
  Outcome tool_answer(const Call& call, const ToolOutcome& outcome) const;

  const ServerProfile& profile_;
  ServerState& state_;
  ClientRequests& client_;
  ClientRoots& roots_;
};

// The unfinished calls of one connection: admits them, runs them on workers, answers them, cancels them, also at their
// deadline, and reports their progress. Loop thread. Owns the calls, borrows the rest. May be destroyed when no handler
// runs.
class RunningCalls {
 public:
  // The connection. Called on the loop.
  class Owner {
   public:
    virtual void on_full() = 0;      // the maximum number of handlers runs
    virtual void on_returned() = 0;  // a call is settled, and its handler has returned or is given up
    virtual void on_failure(std::string_view what) = 0;  // a legacy client's call failed, and the fault is ours

   protected:
    ~Owner() = default;
  };

  RunningCalls(const ServerProfile& profile, ServerState& state, const Executors& executors, ClientRequests& client,
               ClientRoots& roots, ReplyWriter& replies, Owner& owner);

  bool has(std::string_view id) const { return in_flight_.contains(std::string(id)); }
  bool all_settled() const { return in_flight_.empty(); }
  bool none_running() const { return running_.empty(); }
  bool has_room() const { return running_.size() - held_workers_ < profile_.limits().max_in_flight; }

  // Sets ToolContext::directory of the calls that follow.
  void set_directory(std::string directory) { directory_ = std::move(directory); }
  // Runs a call: an inline tool at once, all others on a worker.
  void admit(std::shared_ptr<Call> call);
  // Settles the call without an answer. Does nothing when there is no such call.
  void cancel(const std::string& id);
  // Cancels all calls. With a `reason` each is answered with that as an internal error.
  void cancel_all(std::string_view reason = {});
  // Answers a call that would begin to watch `uri`, but watches nothing.
  void do_not_watch(std::string_view uri);
  // Every ServerLimits::beat_ms: sends heartbeats for calls that reported nothing for a while, and ends calls at their
  // deadline. Returns false when no call is left that may need either.
  bool beat();

 private:
  ToolContext context_of(const std::shared_ptr<Call>& call);
  void launch(const std::shared_ptr<Call>& call);
  void finish(const std::shared_ptr<Call>& call, const CallRunner::Outcome& outcome);
  void tell_failure(const Call& call, const CallRunner::Outcome& outcome);
  void wake_heartbeat() const;
  bool is_overdue(Call& call) const;
  // Settles the call with an answer, empty for none.
  void end(const std::shared_ptr<Call>& call, std::string_view answer);
  void replace_worker_of(const Call& call);
  void launch_waiting();

  const ServerProfile& profile_;
  ServerState& state_;
  const Executors& executors_;
  ReplyWriter& replies_;
  Owner& owner_;
  const CallRunner runner_;
  std::unordered_map<std::string, std::shared_ptr<Call>> in_flight_;  // by id
  std::deque<std::shared_ptr<Call>> waiting_;                         // admitted, not started
  std::string directory_;
  std::vector<std::shared_ptr<Call>> running_;  // whose handlers have not returned, cancelled ones included
  std::size_t held_workers_ = 0;                // of these, handlers whose workers were replaced
};

}  // namespace memd::mcp

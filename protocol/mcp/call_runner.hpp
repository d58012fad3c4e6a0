#pragma once

#include "protocol/mcp/call.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/server_state.hpp"

#include <string>

namespace memd::mcp {

// Runs the handler of a call and writes its answer. Used by many workers at once, and by the loop for inline tools.
// Borrows everything.
class CallRunner {
 public:
  CallRunner(const ServerProfile& profile, ServerState& state, ClientRequests& client)
      : profile_(profile), state_(state), client_(client) {}

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
};

}  // namespace memd::mcp

#pragma once

#include "protocol/mcp/input_rounds.hpp"
#include "protocol/mcp/subscription_hub.hpp"

#include <atomic>
#include <cstddef>
#include <functional>

namespace memd::mcp {

// What the connections of a process share and change. Must outlive them.
struct ServerState {
  explicit ServerState(const Clock& clock) : input_rounds(clock) {}

  SubscriptionHub subscriptions;
  InputRounds input_rounds;
  std::atomic<std::size_t> client_waits{0};  // calls that wait for their client's model
  std::function<void()> wake_heartbeat;      // there is a call that Session::beat() is for; may be empty
};

}  // namespace memd::mcp

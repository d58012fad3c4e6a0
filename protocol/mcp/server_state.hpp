#pragma once

#include "protocol/mcp/resource_watch.hpp"
#include "protocol/mcp/sampling.hpp"

#include <atomic>
#include <cstddef>
#include <functional>

namespace memd::mcp {

using Task = std::function<void()>;

// Executors for tasks. Any thread may call both. `to_loop` keeps the order of the tasks of one thread.
struct Executors {
  std::function<void(Task)> to_worker;
  std::function<void(Task)> to_loop;
};

// State that all connections of a process share. Must outlive them. Loop thread, except for what is thread-safe itself.
struct ServerState {
  explicit ServerState(const Clock& clock) : input_rounds(clock) {}

  SubscriptionHub subscriptions;
  InputRounds input_rounds;
  std::atomic<std::size_t> client_waits{0};  // calls that wait for their client's model
  std::function<void()> wake_heartbeat;      // called when a call needs Session::beat(); may be empty
  std::function<void()> on_worker_held;      // called when a handler does not end after its call; may be empty
};

}  // namespace memd::mcp

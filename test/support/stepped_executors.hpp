#pragma once

#include "protocol/mcp/session.hpp"

#include <deque>
#include <utility>

namespace memd::test {

// A loop and a worker pool that advance only when a test says so, so that every interleaving can be tested.
// Single-threaded.
class SteppedExecutors {
 public:
  SteppedExecutors()
      : executors_{[this](mcp::Task t) { workers_.push_back(std::move(t)); },
                   [this](mcp::Task t) { loop_.push_back(std::move(t)); }} {}

  const mcp::Executors& executors() const { return executors_; }
  void post(mcp::Task t) { loop_.push_back(std::move(t)); }

  void run_loop() {
    while (!loop_.empty())
      take(loop_, 0)();
  }
  std::size_t queued_work() const { return workers_.size(); }
  // Runs the n-th queued job of the workers. Tasks that it posts stay queued.
  void run_worker(std::size_t n = 0) { take(workers_, n)(); }
  void run_all() {
    run_loop();
    while (!workers_.empty()) {
      run_worker();
      run_loop();
    }
  }

 private:
  static mcp::Task take(std::deque<mcp::Task>& queue, std::size_t n) {
    const auto it = queue.begin() + static_cast<std::ptrdiff_t>(n);
    mcp::Task t = std::move(*it);
    queue.erase(it);
    return t;
  }

  std::deque<mcp::Task> loop_;
  std::deque<mcp::Task> workers_;
  mcp::Executors executors_;
};

}  // namespace memd::test

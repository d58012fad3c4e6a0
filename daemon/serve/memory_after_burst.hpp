#pragma once

#include "daemon/admin/process_facts.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>

namespace memd {

// Notices that a process holds more memory than before, a moment after the last of many requests: then it has what they
// left behind given back. Its timer runs only while there are requests. Loop thread only. `loop` must outlive it.
class MemoryAfterBurst {
 public:
  struct Parts {
    std::function<std::uint64_t()> held = admin::resident_bytes;
    // Blocks, so it puts itself on a thread of its own, and then calls the argument, there.
    std::function<void(std::function<void()> done)> give_back;
    std::chrono::milliseconds quiet{1000};  // without a request
    std::uint64_t worth_it = 4 << 20;       // bytes more than after the last time
  };
  MemoryAfterBurst(boost::asio::io_context& loop, Parts parts);

  void on_request();  // or at the end of a connection
  void stop();

 private:
  void wait();
  void on_quiet();

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  const Parts parts_;
  std::uint64_t rest_ = 0;  // held when it was last given back; 0: not yet
  bool is_waiting_ = false;
  bool is_busy_ = false;  // since the timer was set
  bool stopped_ = false;
};

}  // namespace memd

#pragma once

#include "daemon/admin/process_facts.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>

namespace memd {

// Returns memory after a burst of requests: a moment after the last one, if the process holds more than before. Its
// timer runs only while there are requests. Loop thread only. `loop` must outlive it.
class MemoryAfterBurst {
 public:
  struct Parts {
    std::function<std::uint64_t()> held = admin::resident_bytes;
    // Blocks, so it runs on a thread of its own and calls the argument there at the end.
    std::function<void(std::function<void()> done)> give_back;
    std::chrono::milliseconds quiet{1000};  // without a request
    std::uint64_t worth_it = 4 << 20;       // least growth in bytes since the last time
  };
  MemoryAfterBurst(boost::asio::io_context& loop, Parts parts);

  void on_request();  // also called at the end of a connection
  void stop();

 private:
  void wait();
  void on_quiet();

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  const Parts parts_;
  std::uint64_t rest_ = 0;  // bytes held after the last return; 0: none yet
  bool is_waiting_ = false;
  bool is_busy_ = false;  // a request arrived since the timer was set
  bool stopped_ = false;
};

}  // namespace memd

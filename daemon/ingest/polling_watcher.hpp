#pragma once

#include "daemon/ingest/watcher.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>

namespace memd {

// Asks for a look in regular intervals. Where the system offers no hints, or has run out of them.
class PollingWatcher final : public Watcher {
 public:
  PollingWatcher(boost::asio::io_context& loop, std::function<void()> look, std::string why,
                 std::chrono::milliseconds interval);
  void start() override;
  void stop() override;
  std::string describe() const override;

 private:
  void arm();

  boost::asio::steady_timer timer_;
  std::function<void()> look_;
  std::string why_;
  std::chrono::milliseconds interval_;
  bool stopped_ = false;
};

}  // namespace memd

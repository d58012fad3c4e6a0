#pragma once

#include "daemon/watch/watcher.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>

namespace memd {

// Asks for a look at everything in regular intervals. Where the system offers no hints, or has run out of them.
class PollingWatcher final : public Watcher {
 public:
  PollingWatcher(boost::asio::io_context& loop, std::function<void()> rescan, std::string why,
                 std::chrono::seconds interval = std::chrono::seconds(5));
  void start() override;
  void stop() override;
  std::string describe() const override;

 private:
  void arm();

  boost::asio::steady_timer timer_;
  std::function<void()> rescan_;
  std::string why_;
  std::chrono::seconds interval_;
  bool stopped_ = false;
};

}  // namespace memd

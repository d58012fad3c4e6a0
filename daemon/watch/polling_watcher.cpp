#include "daemon/watch/polling_watcher.hpp"

#include <utility>

namespace memd {

PollingWatcher::PollingWatcher(boost::asio::io_context& loop, std::function<void()> rescan, std::string why,
                               std::chrono::seconds interval)
    : timer_(loop), rescan_(std::move(rescan)), why_(std::move(why)), interval_(interval) {}

void PollingWatcher::start() { arm(); }

void PollingWatcher::arm() {
  timer_.expires_after(interval_);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (ec || stopped_) return;
    rescan_();
    arm();
  });
}

void PollingWatcher::stop() {
  stopped_ = true;
  timer_.cancel();
}

std::string PollingWatcher::describe() const {
  return "polling every " + std::to_string(interval_.count()) + " s: " + why_;
}

}  // namespace memd

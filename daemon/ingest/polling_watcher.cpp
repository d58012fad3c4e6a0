#include "daemon/ingest/polling_watcher.hpp"

#include <fmt/format.h>

#include <utility>

namespace memd {

PollingWatcher::PollingWatcher(boost::asio::io_context& loop, std::function<void()> look, std::string why,
                               std::chrono::milliseconds interval)
    : timer_(loop), look_(std::move(look)), why_(std::move(why)), interval_(interval) {}

void PollingWatcher::start() { arm(); }

void PollingWatcher::arm() {
  timer_.expires_after(interval_);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (ec || stopped_) return;
    look_();
    arm();
  });
}

void PollingWatcher::stop() {
  stopped_ = true;
  timer_.cancel();
}

std::string PollingWatcher::describe() const {
  return fmt::format("polling every {:g} s{}", static_cast<double>(interval_.count()) / 1000, why_);
}

}  // namespace memd

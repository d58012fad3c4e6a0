#include "daemon/ingest/watcher.hpp"

#include <fmt/format.h>

#include <utility>

namespace memd {

PollingWatcher::PollingWatcher(boost::asio::io_context& loop, std::function<void()> look, std::string why,
                               std::chrono::milliseconds interval)
    : coroutines_(loop), timer_(loop), look_(std::move(look)), why_(std::move(why)), interval_(interval) {}

void PollingWatcher::start() { coroutines_.spawn(poll()); }

boost::asio::awaitable<void> PollingWatcher::poll() {
  for (;;) {
    timer_.expires_after(interval_);
    const auto [ended] = co_await timer_.async_wait(kAsResult);
    if (ended || stopped_) co_return;
    look_();
  }
}

void PollingWatcher::stop() {
  stopped_ = true;
  coroutines_.cancel();
}

std::string PollingWatcher::describe() const {
  return fmt::format("polling every {:g} s{}", static_cast<double>(interval_.count()) / 1000, why_);
}

}  // namespace memd

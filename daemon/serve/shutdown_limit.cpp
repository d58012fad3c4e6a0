#include "daemon/serve/shutdown_limit.hpp"

#include "daemon/log.hpp"

#include <cstdlib>
#include <utility>

namespace memd {

ShutdownLimit::ShutdownLimit(std::chrono::milliseconds limit, std::string what)
    : watcher_([this, limit, what = std::move(what)] {
        std::unique_lock lock(mutex_);
        if (ended_.wait_for(lock, limit, [this] { return done_; })) return;
        log::error("{} still run {} ms after the end was asked for: leaving without them", what, limit.count());
        std::_Exit(EXIT_FAILURE);
      }) {}

ShutdownLimit::~ShutdownLimit() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  ended_.notify_one();
  watcher_.join();
}

}  // namespace memd

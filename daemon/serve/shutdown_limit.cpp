#include "daemon/serve/shutdown_limit.hpp"

#include "daemon/log.hpp"

#include <cstdlib>
#include <system_error>
#include <utility>

namespace memd {

ShutdownLimit::ShutdownLimit(std::chrono::milliseconds limit, std::string what) {
  try {
    watcher_ = std::thread([this, limit, what = std::move(what)] {
      std::unique_lock lock(mutex_);
      if (ended_.wait_for(lock, limit, [this] { return done_; })) return;
      log::error("{} still run {} ms after the end was asked for: leaving without them", what, limit.count());
      std::_Exit(EXIT_FAILURE);
    });
  } catch (const std::system_error& e) {
    log::error("the end may take as long as it does: {}", e.what());
  }
}

ShutdownLimit::~ShutdownLimit() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  ended_.notify_one();
  if (watcher_.joinable()) watcher_.join();
}

}  // namespace memd

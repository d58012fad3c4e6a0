#include "daemon/background_thread.hpp"

#include "daemon/blocked_signals.hpp"
#include "daemon/this_thread.hpp"

namespace memd {

BackgroundThread::~BackgroundThread() {
  stop();
  join();
}

void BackgroundThread::start(bool at_lowest_priority) {
  const BlockedSignals blocked;  // whichever thread starts it
  thread_ = std::jthread([this, at_lowest_priority](const std::stop_token& stop) {
    this_thread::set_name(name_);
    if (at_lowest_priority) this_thread::lower_priority();
    run(stop);
  });
}

void BackgroundThread::hint() {
  const std::lock_guard lock(mutex_);
  hinted_ = true;
  idle_ = false;
  wake_.notify_one();
}

void BackgroundThread::stop() { thread_.request_stop(); }

void BackgroundThread::join() {
  if (thread_.joinable()) thread_.join();
}

bool BackgroundThread::is_working() const {
  const std::lock_guard lock(mutex_);
  return working_;
}

bool BackgroundThread::block_until_idle(std::chrono::milliseconds deadline) {
  std::unique_lock lock(mutex_);
  return became_idle_.wait_for(lock, deadline, [this] { return idle_; });
}

void BackgroundThread::run(const std::stop_token& stop) {
  Next next;
  while (wait_for_round(next, stop)) {
    next = round_(stop);
    const std::lock_guard lock(mutex_);
    working_ = false;
    if (next.hints == Hints::forget_earlier) hinted_ = false;
  }
  const std::lock_guard lock(mutex_);
  idle_ = true;
  became_idle_.notify_all();
}

// False: stop.
bool BackgroundThread::wait_for_round(const Next& next, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto is_awake = [this, ignore = next.hints == Hints::ignore] { return hinted_ && !ignore; };
  if (!is_awake()) {
    idle_ = true;
    became_idle_.notify_all();
  }
  if (next.at)
    wake_.wait_until(lock, stop, *next.at, is_awake);
  else
    wake_.wait(lock, stop, is_awake);
  if (stop.stop_requested()) return false;
  hinted_ = false;
  idle_ = false;
  working_ = true;
  return true;
}

}  // namespace memd

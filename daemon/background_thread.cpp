#include "daemon/background_thread.hpp"

#include <pthread.h>
#ifdef __APPLE__
#include <pthread/qos.h>
#else
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace memd {
namespace {

void name_this_thread(const std::string& name) {
#ifdef __APPLE__
  ::pthread_setname_np(name.c_str());
#else
  ::pthread_setname_np(::pthread_self(), name.c_str());
#endif
}

// Gives the calling thread the lowest CPU priority.
void lower_priority() {
#ifdef __APPLE__
  ::pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
#elif defined(__linux__)
  // Applies to this thread only. Not SCHED_IDLE, because search should get new content even while a build runs for an
  // hour.
  constexpr int kNicest = 19;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNicest);
#endif
}

}  // namespace

BackgroundThread::~BackgroundThread() {
  stop();
  join();
}

void BackgroundThread::start(bool at_lowest_priority) {
  thread_ = std::jthread([this, at_lowest_priority](const std::stop_token& stop) {
    name_this_thread(name_);
    if (at_lowest_priority) lower_priority();
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

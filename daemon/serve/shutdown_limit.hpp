#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace memd {

// Ends the process with exit code 1 when this object outlives `limit`; the log says that `what` was still running. For
// shutdown, when threads may hang in a system call or on a damaged file. Nothing is lost: uncommitted data is read
// again.
class ShutdownLimit {
 public:
  ShutdownLimit(std::chrono::milliseconds limit, std::string what);
  ~ShutdownLimit();
  ShutdownLimit(const ShutdownLimit&) = delete;
  ShutdownLimit& operator=(const ShutdownLimit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;  // guarded by mutex_
  std::thread watcher_;
};

}  // namespace memd

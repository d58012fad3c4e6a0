#pragma once

#include "daemon/background_thread.hpp"
#include "daemon/sharing/sharing.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memd::sharing {

// Syncs the shares of a daemon: when something was stored, and when something changed at a place. Members are
// thread-safe. The host must outlive it.
class SharingThread {
 public:
  using Watch = std::function<void(std::vector<std::filesystem::path>)>;
  // `watch` receives the directories whose changes are to be hinted, on the thread, whenever they change.
  SharingThread(MemoryHost& host, Watch watch);

  void start() { thread_.start(false); }
  void hint() { thread_.hint(); }
  // Hints if the path is at one of the places.
  void hint(const std::filesystem::path& path);
  void stop() { thread_.stop(); }
  void join() { thread_.join(); }

 private:
  BackgroundThread::Next round(const std::stop_token& stop);

  MemoryHost& host_;
  const Watch watch_;
  Reader store_;                                 // of the thread
  std::optional<Sharing> sharing_;               // made when there is a share
  std::map<std::string, std::string> troubles_;  // by place, as they were logged
  std::mutex mutex_;
  std::set<std::filesystem::path> watched_;  // guarded by mutex_
  BackgroundThread thread_;                  // last: it uses the members above
};

}  // namespace memd::sharing

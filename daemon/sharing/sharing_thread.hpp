#pragma once

#include "daemon/background_thread.hpp"
#include "daemon/sharing/sharing.hpp"
#include "schemas/base/unique_fd.hpp"

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
  using Await = std::function<void(std::vector<UniqueFd>)>;
  // Both are called on the thread. `watch` receives the directories whose changes are to be hinted, whenever they are
  // others. `await` receives sockets: hint() once, as soon as one of them is readable, and close them. They replace
  // those of before, also where there are none any more.
  SharingThread(MemoryHost& host, Watch watch, Await await = {});

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
  const Await await_;
  Reader store_;                                 // of the thread
  std::optional<Sharing> sharing_;               // made when there is a share
  std::set<std::string> known_;                  // the shares of the last round
  std::map<std::string, std::string> troubles_;  // by share, as they were logged
  bool awaits_ = false;                          // sockets of the last round
  std::mutex mutex_;
  std::set<std::filesystem::path> watched_;  // guarded by mutex_
  BackgroundThread thread_;                  // last: it uses the members above
};

}  // namespace memd::sharing

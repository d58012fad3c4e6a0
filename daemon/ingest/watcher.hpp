#pragma once

#include "adapters/adapter.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace memd {

class Discovery;

struct WatchOptions {
  // Maximum number of watched directories. 0: the smaller of 8,192 and half of the system's limit for a user.
  std::size_t max_directories = 0;
  std::chrono::milliseconds poll_interval{5000};  // for directories that cannot be watched
  bool only_poll = false;                         // as on systems without inotify
};

// Reports that something changed. Reports are hints: they may be doubled, merged or lost, and only a full look at the
// files is decisive. Loop thread only. The loop and the discovery must outlive it. After stop() the loop has to run out
// of work before the watcher is destroyed.
class Watcher {
 public:
  struct Callbacks {
    std::function<void(const SourceCandidate&, const std::filesystem::path& file)> source_changed;  // in this file
    std::function<void(const std::filesystem::path&)> changed;  // something at or below this path
    std::function<void()> rescan;                               // hints were lost: look at everything
    // A file or directory changed in a directory of watch_also(); it may be gone.
    std::function<void(const std::filesystem::path&)> also_changed = {};
    // A missing directory of watch_also(), or one on the way to it, has appeared.
    std::function<void()> also_came = {};
  };
  virtual ~Watcher() = default;
  virtual void start() = 0;
  virtual void stop() = 0;  // after this no callback runs and no work is left on the loop
  // Sets the additional directories to watch, which hold no agents' data. Replaces the previous set. Waits for missing
  // ones to appear. True: some are watched only from now on, and earlier changes in them were not reported.
  virtual bool watch_also(const std::vector<std::filesystem::path>& directories) = 0;
  // "inotify, 37 directories; polling every 5 s for 2 more: out of inotify watches"
  virtual std::string describe() const = 0;
};

// Makes the watcher: inotify on Linux; elsewhere looks every few seconds, and earlier when kqueue tells of a change.
// Watches the roots of `discovery`, including those that appear later.
std::unique_ptr<Watcher> make_watcher(boost::asio::io_context& loop, const Discovery& discovery,
                                      Watcher::Callbacks callbacks, WatchOptions options = {});

}  // namespace memd

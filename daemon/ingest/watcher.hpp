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
  // At most so many directories get a watch; 0: the smaller of 8,192 and half of what the system allows a user.
  std::size_t max_directories = 0;
  std::chrono::milliseconds poll_interval{5000};  // of what cannot be watched
  bool only_poll = false;                         // as where there is no inotify
};

// Tells that something changed. A hint, no more: hints may be doubled, merged or lost, and a full look at the files
// settles what is true. Loop thread only. The loop and the discovery must outlive it, and after stop() the loop has to
// run until it has no more work before the watcher goes.
class Watcher {
 public:
  struct Callbacks {
    std::function<void(const SourceCandidate&, const std::filesystem::path& file)> source_changed;  // in this file
    std::function<void(const std::filesystem::path&)> changed;  // something at or below this path
    std::function<void()> rescan;                               // hints were lost: look at everything
    // Something in a directory of watch_also(): a file or a directory, which may be gone.
    std::function<void(const std::filesystem::path&)> also_changed = {};
    // A directory of watch_also() that was not there, or one on the way to it, has come.
    std::function<void()> also_came = {};
  };
  virtual ~Watcher() = default;
  virtual void start() = 0;
  virtual void stop() = 0;  // after this no callback runs and no work is left on the loop
  // Directories that are no storage of agents, in place of those named before. Those that are not there are waited for.
  // True: some are watched only from now on, and what changed in them before is told by nobody.
  virtual bool watch_also(const std::vector<std::filesystem::path>& directories) = 0;
  // "inotify, 37 directories; polling every 5 s for 2 more: out of inotify watches"
  virtual std::string describe() const = 0;
};

// inotify on Linux, a look at the files every few seconds elsewhere. Watches the roots of `discovery`, also those that
// appear later.
std::unique_ptr<Watcher> make_watcher(boost::asio::io_context& loop, const Discovery& discovery,
                                      Watcher::Callbacks callbacks, WatchOptions options = {});

}  // namespace memd

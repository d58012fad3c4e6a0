#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

namespace memd {

class Discovery;

// Tells that something changed. A hint, no more: hints may be doubled, merged or lost, and a full look at the files
// settles what is true. Loop thread only.
class Watcher {
 public:
  struct Callbacks {
    std::function<void(const std::filesystem::path&)> changed;  // a file, or a directory with news below it
    std::function<void()> rescan;                               // hints were lost: look at everything
  };
  virtual ~Watcher() = default;
  virtual void start() = 0;
  virtual void stop() = 0;                   // after this no callback runs and no work is left on the loop
  virtual std::string describe() const = 0;  // "inotify, 37 directories", "polling every 5 s: out of inotify watches"
};

// inotify on Linux, polling elsewhere. Watches the roots of `discovery`, also those that appear later.
std::unique_ptr<Watcher> make_watcher(boost::asio::io_context& loop, const Discovery& discovery,
                                      Watcher::Callbacks callbacks);

}  // namespace memd

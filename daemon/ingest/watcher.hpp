#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/coroutine_group.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

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
  };
  virtual ~Watcher() = default;
  virtual void start() = 0;
  virtual void stop() = 0;  // after this no callback runs and no work is left on the loop
  // "inotify, 37 directories; polling every 5 s for 2 more: out of inotify watches"
  virtual std::string describe() const = 0;
};

// inotify on Linux, polling elsewhere. Watches the roots of `discovery`, also those that appear later.
std::unique_ptr<Watcher> make_watcher(boost::asio::io_context& loop, const Discovery& discovery,
                                      Watcher::Callbacks callbacks, WatchOptions options = {});

// Asks for a look at regular intervals, where the system offers no hints or has run out of them. Loop thread only.
class PollingWatcher final : public Watcher {
 public:
  PollingWatcher(boost::asio::io_context& loop, std::function<void()> look, std::string why,
                 std::chrono::milliseconds interval);
  void start() override;
  void stop() override;
  std::string describe() const override;

 private:
  boost::asio::awaitable<void> poll();

  CoroutineGroup coroutines_;
  boost::asio::steady_timer timer_;
  std::function<void()> look_;
  std::string why_;
  std::chrono::milliseconds interval_;
  bool stopped_ = false;
};

}  // namespace memd

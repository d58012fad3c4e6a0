#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/mailbox.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

struct inotify_event;

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
    // Something in a directory of watch_also(): a file or a directory, which may be gone.
    std::function<void(const std::filesystem::path&)> also_changed = {};
  };
  virtual ~Watcher() = default;
  virtual void start() = 0;
  virtual void stop() = 0;  // after this no callback runs and no work is left on the loop
  // Directories that are no storage of agents, in place of those named before. What is not there is not watched.
  virtual void watch_also(const std::vector<std::filesystem::path>& directories) = 0;
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
  void watch_also(const std::vector<std::filesystem::path>&) override {}  // each look is at everything
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

// Knows which inotify watch stands on which directory. One thread.
class WatchTable {
 public:
  std::size_t size() const { return paths_.size(); }
  bool contains(const std::filesystem::path& directory) const { return by_path_.contains(directory.native()); }

  void put(int watch, const std::filesystem::path& directory);
  const std::filesystem::path* find(int watch) const {  // valid until the next change
    const auto it = paths_.find(watch);
    return it == paths_.end() ? nullptr : &it->second;
  }
  void erase(int watch);
  // Takes out the directory and all below it; their watches.
  std::vector<int> take_below(const std::filesystem::path& directory);

 private:
  std::unordered_map<int, std::filesystem::path> paths_;
  std::map<std::string, int> by_path_;
};

// Has one watch for each directory that sources can stand in. A missing root is waited for at its nearest existing
// ancestor. Mounts that come and go are noticed too. Directories beyond WatchOptions::max_directories, or beyond what
// the system allows, are polled. Two coroutines, for events and for mounts. Loop thread only.
class InotifyWatcher final : public Watcher {
 public:
  InotifyWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks, WatchOptions options);
  ~InotifyWatcher() override;
  void start() override;
  void stop() override;
  void watch_also(const std::vector<std::filesystem::path>& directories) override;
  std::string describe() const override;

 private:
  void watch_roots();
  void watch_place_of(const std::filesystem::path& root);
  void watch_tree(const std::filesystem::path& dir);
  bool add_watch(const std::filesystem::path& dir, std::uint32_t mask, const std::filesystem::path& else_poll);
  void poll(const std::filesystem::path& dir, std::string why);
  void drop_below(const std::filesystem::path& dir);
  void fall_back(std::string why);
  boost::asio::awaitable<void> read_events();
  boost::asio::awaitable<void> watch_mounts();
  std::string root_places() const;
  void on_event(const inotify_event& event);
  void on_directory_lost(const std::filesystem::path& dir);
  void on_directory_found(const std::filesystem::path& dir);
  void on_file(const std::filesystem::path& file);
  bool leads_to_root(const std::filesystem::path& dir) const;

  boost::asio::io_context& loop_;
  const Discovery& discovery_;
  Callbacks callbacks_;
  WatchOptions options_;
  CoroutineGroup coroutines_;
  bool stopped_ = false;
  boost::asio::posix::stream_descriptor events_;
  boost::asio::posix::stream_descriptor mounts_;
  std::string places_;  // of the roots, when the mounts were last looked at
  WatchTable table_;
  std::set<std::filesystem::path> also_;    // watch_also()
  std::set<std::filesystem::path> polled_;  // the uppermost directories that could not be watched
  std::string why_polled_;
  std::unique_ptr<PollingWatcher> polling_;
  alignas(8) std::array<char, 64 * 1024> buffer_;
};

}  // namespace memd

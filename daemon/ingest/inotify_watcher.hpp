#pragma once

#include "daemon/ingest/mailbox.hpp"
#include "daemon/ingest/polling_watcher.hpp"
#include "daemon/ingest/watcher.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

struct inotify_event;

namespace memd {

// Maps inotify watches to directories and back. One thread.
class WatchTable {
 public:
  std::size_t size() const { return paths_.size(); }
  bool contains(const std::filesystem::path& directory) const { return by_path_.contains(directory.native()); }

  void put(int watch, const std::filesystem::path& directory);
  const std::filesystem::path* find(int watch) const {  // valid until the next change
    const auto it = paths_.find(watch);
    return it == paths_.end() ? nullptr : &it->second;
  }
  int watch_of(const std::filesystem::path& directory) const {  // -1: it has none
    const auto it = by_path_.find(directory.native());
    return it == by_path_.end() ? -1 : it->second;
  }
  void erase(int watch);
  // Removes the directory and everything below it, and returns their watches.
  std::vector<int> take_below(const std::filesystem::path& directory);

 private:
  std::unordered_map<int, std::filesystem::path> paths_;
  std::map<std::string, int> by_path_;
};

// Watches each directory that can hold sources. For a missing root it watches the nearest existing ancestor. It also
// notices mounts and unmounts. Directories beyond WatchOptions::max_directories, or beyond the system's limit, are
// polled. Two coroutines, one for events and one for mounts. Loop thread only.
class InotifyWatcher final : public Watcher {
 public:
  InotifyWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks, WatchOptions options);
  ~InotifyWatcher() override;
  void start() override;
  void stop() override;
  bool watch_also(const std::vector<std::filesystem::path>& directories) override;
  std::string describe() const override;

 private:
  void watch_roots();
  void watch_place_of(const std::filesystem::path& root);
  void watch_tree(const std::filesystem::path& dir);
  bool wait_for(const std::filesystem::path& directory);
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
  std::string places_;  // of the roots, at the last check of the mounts
  WatchTable table_;
  std::set<std::filesystem::path> also_;               // watch_also()
  std::map<std::filesystem::path, int> also_watched_;  // those that exist, with their watches
  std::set<std::filesystem::path> also_steps_;         // the next missing directory on the way to each of the others
  std::set<std::filesystem::path> polled_;             // the uppermost directories that could not be watched
  std::string why_polled_;
  std::unique_ptr<Watcher> polling_;  // for directories without a watch, or for all
  alignas(8) std::array<char, 64 * 1024> buffer_;
};

}  // namespace memd

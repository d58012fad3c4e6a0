#pragma once

#include "daemon/watch/polling_watcher.hpp"
#include "daemon/watch/watcher.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

struct inotify_event;

namespace memd {

// One watch a directory. A root that does not exist is waited for at its nearest existing ancestor. When the system
// has no more watches to give, falls back to polling and says so.
class InotifyWatcher final : public Watcher {
 public:
  // At most this many directories; beyond it, polling. The usual system-wide bound is 8,192 a user.
  static constexpr std::size_t kMaxWatches = 4096;

  InotifyWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks);
  ~InotifyWatcher() override;
  void start() override;
  void stop() override;
  std::string describe() const override;

 private:
  void watch_roots();
  void watch_tree(const std::filesystem::path& dir);
  bool add_watch(const std::filesystem::path& dir, std::uint32_t mask);
  void fall_back(std::string why);
  void read_events();
  void on_event(const inotify_event& event);

  boost::asio::io_context& loop_;
  const Discovery& discovery_;
  Callbacks callbacks_;
  boost::asio::posix::stream_descriptor descriptor_;
  std::unordered_map<int, std::filesystem::path> directories_;
  std::unique_ptr<PollingWatcher> polling_;
  alignas(8) std::array<char, 64 * 1024> buffer_;
};

}  // namespace memd

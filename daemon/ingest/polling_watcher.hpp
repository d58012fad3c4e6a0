#pragma once

#include "daemon/ingest/mailbox.hpp"
#include "daemon/ingest/watcher.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd {

// Asks for a look at regular intervals, where the system has run out of hints. Loop thread only.
class PollingWatcher final : public Watcher {
 public:
  PollingWatcher(boost::asio::io_context& loop, std::function<void()> look, std::string why,
                 std::chrono::milliseconds interval);
  void start() override;
  void stop() override;
  // What a look looks at is its owner's matter.
  bool watch_also(const std::vector<std::filesystem::path>&) override { return false; }
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

// Where the system offers no hints: compares the files that sources stand in with what it saw before, at regular
// intervals, and tells of those that are new, changed or gone. A look costs a `stat` a file and a listing a directory,
// and reads no file. Loop thread only.
class TreeWatcher final : public Watcher {
 public:
  TreeWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks,
              std::chrono::milliseconds interval, std::string why);
  void start() override;  // what stands there now is not told
  void stop() override { timer_.stop(); }
  bool watch_also(const std::vector<std::filesystem::path>& directories) override;
  std::string describe() const override { return timer_.describe(); }

 private:
  struct Stamp {
    std::int64_t changed_ns = 0;  // of its contents
    std::int64_t size = 0;
    ino_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::unordered_map<std::string, Stamp>;
  using Tell = std::function<void(const std::filesystem::path&)>;
  static void add(const std::filesystem::path& file, Stamps& out);
  static void tell_changes(const Stamps& before, const Stamps& now, const Tell& changed, const Tell& gone);
  Stamps stamps() const;
  Stamps stamps_of_also() const;
  void look();

  const Discovery& discovery_;
  Callbacks callbacks_;
  Stamps seen_;
  std::vector<std::filesystem::path> also_;  // watch_also()
  Stamps also_seen_;
  PollingWatcher timer_;
};

}  // namespace memd

#pragma once

#include "daemon/ingest/change_bell.hpp"
#include "daemon/ingest/mailbox.hpp"
#include "daemon/ingest/watcher.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd {

// Calls `look` at regular intervals. Used where the system provides no more watches. Loop thread only.
class PollingWatcher final : public Watcher {
 public:
  PollingWatcher(boost::asio::io_context& loop, std::function<void()> look, std::string why,
                 std::chrono::milliseconds interval);
  void start() override;
  void stop() override;
  void look_soon();  // not only when the interval is over
  // The owner's callback decides what is looked at.
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

// A watcher for systems without file notifications. At regular intervals it compares the files that can hold sources
// with the previous state and reports new, changed and removed ones. A look costs a `stat` for each file and a listing
// for each directory; it reads no file. A bell, which may be null, brings the next look nearer. Loop thread only.
class TreeWatcher final : public Watcher {
 public:
  TreeWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks,
              std::chrono::milliseconds interval, std::string why, std::unique_ptr<ChangeBell> bell);
  void start() override;  // existing files are not reported
  void stop() override;
  bool watch_also(const std::vector<std::filesystem::path>& directories) override;
  std::string describe() const override { return timer_.describe(); }

 private:
  struct Stamp {
    std::int64_t changed_ns = 0;  // modification time of the contents
    std::int64_t size = 0;
    ino_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::unordered_map<std::string, Stamp>;
  using Tell = std::function<void(const std::filesystem::path&)>;
  static void add(const std::filesystem::path& file, Stamps& out);
  static void tell_changes(const Stamps& before, const Stamps& now, const Tell& changed, const Tell& gone);
  Stamps stamps();
  Stamps stamps_of_also() const;
  void look();
  void hear();

  const Discovery& discovery_;
  Callbacks callbacks_;
  Stamps seen_;
  std::vector<std::filesystem::path> directories_;  // at the last look
  std::vector<std::filesystem::path> also_;         // watch_also()
  Stamps also_seen_;
  std::unique_ptr<ChangeBell> bell_;
  PollingWatcher timer_;
};

}  // namespace memd

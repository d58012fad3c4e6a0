#include "daemon/ingest/polling_watcher.hpp"

#include "daemon/ingest/discovery.hpp"
#include "store/files/system_calls.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <system_error>
#include <utility>

namespace memd {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds kSoon{50};
constexpr std::size_t kMostFiles = 128;  // that a bell hears

}  // namespace

PollingWatcher::PollingWatcher(boost::asio::io_context& loop, std::function<void()> look, std::string why,
                               std::chrono::milliseconds interval)
    : coroutines_(loop), timer_(loop), look_(std::move(look)), why_(std::move(why)), interval_(interval) {}

void PollingWatcher::start() {
  timer_.expires_after(interval_);
  coroutines_.spawn(poll());
}

boost::asio::awaitable<void> PollingWatcher::poll() {
  for (;;) {
    const auto [moved] = co_await timer_.async_wait(kAsResult);
    if (stopped_) co_return;
    if (moved) continue;
    look_();
    timer_.expires_after(interval_);
  }
}

void PollingWatcher::look_soon() {
  if (timer_.expiry() > std::chrono::steady_clock::now() + kSoon) timer_.expires_after(kSoon);
}

void PollingWatcher::stop() {
  stopped_ = true;
  coroutines_.cancel();
}

std::string PollingWatcher::describe() const {
  return fmt::format("polling every {:g} s{}", static_cast<double>(interval_.count()) / 1000, why_);
}

TreeWatcher::TreeWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks,
                         std::chrono::milliseconds interval, std::string why, std::unique_ptr<ChangeBell> bell)
    : discovery_(discovery),
      callbacks_(std::move(callbacks)),
      bell_(std::move(bell)),
      timer_(
          loop, [this] { look(); }, std::move(why), interval) {}

void TreeWatcher::start() {
  seen_ = stamps();
  timer_.start();
  if (bell_ == nullptr) return;
  bell_->start([this] { timer_.look_soon(); });
  hear();
}

void TreeWatcher::stop() {
  if (bell_ != nullptr) bell_->stop();
  timer_.stop();
}

// Agents append to the files that changed last. What appears elsewhere is heard in its directory.
void TreeWatcher::hear() {
  std::vector<std::pair<std::int64_t, fs::path>> newest;
  for (const auto& [file, stamp] : seen_)
    newest.emplace_back(stamp.changed_ns, file);
  const auto end = newest.begin() + static_cast<std::ptrdiff_t>(std::min(newest.size(), kMostFiles));
  std::partial_sort(newest.begin(), end, newest.end(), std::greater<>());
  std::vector<fs::path> paths;
  for (auto it = newest.begin(); it != end; ++it)
    paths.push_back(std::move(it->second));
  paths.insert(paths.end(), also_.begin(), also_.end());
  paths.insert(paths.end(), directories_.begin(), directories_.end());
  bell_->hear(paths);
}

bool TreeWatcher::watch_also(const std::vector<fs::path>& directories) {
  if (also_ == directories) return false;
  also_ = directories;
  also_seen_ = stamps_of_also();
  return true;
}

void TreeWatcher::add(const fs::path& file, Stamps& out) {
  struct ::stat st {};
  if (::stat(file.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) return;
  const timespec changed = files::changed_at(st);
  out[file.native()] = {static_cast<std::int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec,
                        static_cast<std::int64_t>(st.st_size), st.st_ino};
}

TreeWatcher::Stamps TreeWatcher::stamps() {
  Stamps out;
  directories_.clear();
  std::error_code ec;
  const auto add_source = [&](const fs::path& file) {
    if (discovery_.classify(file) || discovery_.part_of(file)) add(file, out);
  };
  for (const auto& root : discovery_.roots()) {
    if (!fs::is_directory(root.path, ec)) {
      add_source(root.path);
      continue;
    }
    for (const fs::path& directory : discovery_.directories(root.path)) {
      directories_.push_back(directory);
      for (auto it = fs::directory_iterator(directory, ec); !ec && it != fs::directory_iterator(); it.increment(ec))
        add_source(it->path());
    }
  }
  return out;
}

TreeWatcher::Stamps TreeWatcher::stamps_of_also() const {
  Stamps out;
  std::error_code ec;
  for (const fs::path& directory : also_)
    for (auto it = fs::directory_iterator(directory, ec); !ec && it != fs::directory_iterator(); it.increment(ec))
      add(it->path(), out);
  return out;
}

void TreeWatcher::tell_changes(const Stamps& before, const Stamps& now, const Tell& changed, const Tell& gone) {
  for (const auto& [file, stamp] : now) {
    const auto old = before.find(file);
    if (old == before.end() || !(old->second == stamp)) changed(file);
  }
  for (const auto& [file, stamp] : before)
    if (!now.contains(file)) gone(file);
}

void TreeWatcher::look() {
  Stamps now = stamps();
  const auto tell = [this](const fs::path& file) {
    if (const auto source = discovery_.classify(file))
      callbacks_.source_changed(*source, file);
    else
      callbacks_.changed(file);
  };
  tell_changes(seen_, now, tell, callbacks_.changed);
  seen_ = std::move(now);
  if (bell_ != nullptr) hear();
  if (!callbacks_.also_changed) return;
  Stamps also_now = stamps_of_also();
  tell_changes(also_seen_, also_now, callbacks_.also_changed, callbacks_.also_changed);
  also_seen_ = std::move(also_now);
}

}  // namespace memd

#include "daemon/ingest/polling_watcher.hpp"

#include "daemon/ingest/discovery.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <system_error>
#include <utility>

namespace memd {
namespace fs = std::filesystem;

PollingWatcher::PollingWatcher(boost::asio::io_context& loop, std::function<void()> look, std::string why,
                               std::chrono::milliseconds interval)
    : coroutines_(loop), timer_(loop), look_(std::move(look)), why_(std::move(why)), interval_(interval) {}

void PollingWatcher::start() { coroutines_.spawn(poll()); }

boost::asio::awaitable<void> PollingWatcher::poll() {
  for (;;) {
    timer_.expires_after(interval_);
    const auto [ended] = co_await timer_.async_wait(kAsResult);
    if (ended || stopped_) co_return;
    look_();
  }
}

void PollingWatcher::stop() {
  stopped_ = true;
  coroutines_.cancel();
}

std::string PollingWatcher::describe() const {
  return fmt::format("polling every {:g} s{}", static_cast<double>(interval_.count()) / 1000, why_);
}

TreeWatcher::TreeWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks,
                         std::chrono::milliseconds interval, std::string why)
    : discovery_(discovery),
      callbacks_(std::move(callbacks)),
      timer_(
          loop, [this] { look(); }, std::move(why), interval) {}

void TreeWatcher::start() {
  seen_ = stamps();
  timer_.start();
}

void TreeWatcher::add(const fs::path& file, Stamps& out) const {
  struct ::stat st {};
  if (::stat(file.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) return;
  if (!discovery_.classify(file) && !discovery_.part_of(file)) return;
#ifdef __APPLE__
  const timespec& changed = st.st_mtimespec;
#else
  const timespec& changed = st.st_mtim;
#endif
  out[file.native()] = {static_cast<std::int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec,
                        static_cast<std::int64_t>(st.st_size), st.st_ino};
}

TreeWatcher::Stamps TreeWatcher::stamps() const {
  Stamps out;
  std::error_code ec;
  for (const auto& root : discovery_.roots()) {
    if (!fs::is_directory(root.path, ec)) {
      add(root.path, out);
      continue;
    }
    for (const fs::path& directory : discovery_.directories(root.path))
      for (auto it = fs::directory_iterator(directory, ec); !ec && it != fs::directory_iterator(); it.increment(ec))
        add(it->path(), out);
  }
  return out;
}

void TreeWatcher::look() {
  Stamps now = stamps();
  const auto tell = [this](const fs::path& file) {
    if (const auto source = discovery_.classify(file))
      callbacks_.source_changed(*source, file);
    else
      callbacks_.changed(file);
  };
  for (const auto& [file, stamp] : now) {
    const auto before = seen_.find(file);
    if (before == seen_.end() || !(before->second == stamp)) tell(file);
  }
  for (const auto& [file, stamp] : seen_)
    if (!now.contains(file)) callbacks_.changed(file);
  seen_ = std::move(now);
}

}  // namespace memd

#include "daemon/watch/inotify_watcher.hpp"

#include "daemon/ingest/discovery.hpp"

#include <sys/inotify.h>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace memd {
namespace fs = std::filesystem;
namespace {

constexpr std::uint32_t kMask = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE |
                                IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

// On the way to a root only the next step matters.
constexpr std::uint32_t kAncestorMask = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

fs::path nearest_existing(fs::path path) {
  std::error_code ec;
  while (!path.empty() && path != path.root_path() && !fs::is_directory(path, ec))
    path = path.parent_path();
  return path;
}

}  // namespace

InotifyWatcher::InotifyWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks)
    : loop_(loop), discovery_(discovery), callbacks_(std::move(callbacks)), descriptor_(loop) {}

InotifyWatcher::~InotifyWatcher() = default;

void InotifyWatcher::start() {
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) return fall_back(std::string("inotify is not to be had: ") + std::strerror(errno));
  descriptor_.assign(fd);
  watch_roots();
  read_events();
}

void InotifyWatcher::stop() {
  boost::system::error_code ignored;
  descriptor_.close(ignored);
  if (polling_) polling_->stop();
}

std::string InotifyWatcher::describe() const {
  if (polling_) return polling_->describe();
  return "inotify, " + std::to_string(directories_.size()) + " directories";
}

void InotifyWatcher::watch_roots() {
  for (const auto& root : discovery_.roots()) {
    const fs::path there = nearest_existing(root.path);
    if (there == root.path)
      watch_tree(root.path);
    else
      add_watch(there, kAncestorMask);
  }
}

void InotifyWatcher::watch_tree(const fs::path& dir) {
  if (!add_watch(dir, kMask)) return;
  std::error_code ec;
  fs::recursive_directory_iterator it(dir, fs::directory_options::skip_permission_denied, ec);
  for (; !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
    std::error_code entry_ec;
    if (it->is_symlink(entry_ec)) {
      it.disable_recursion_pending();
    } else if (it->is_directory(entry_ec) && !add_watch(it->path(), kMask)) {
      return;
    }
  }
}

bool InotifyWatcher::add_watch(const fs::path& dir, std::uint32_t mask) {
  if (polling_) return false;
  if (directories_.size() >= kMaxWatches) {
    fall_back("more than " + std::to_string(kMaxWatches) + " directories");
    return false;
  }
  const int wd = ::inotify_add_watch(descriptor_.native_handle(), dir.c_str(), mask);
  if (wd >= 0) {
    directories_[wd] = dir;
    return true;
  }
  if (errno == ENOSPC || errno == ENOMEM) fall_back("out of inotify watches");
  return false;
}

void InotifyWatcher::fall_back(std::string why) {
  if (polling_) return;
  boost::system::error_code ignored;
  if (descriptor_.is_open()) descriptor_.close(ignored);
  directories_.clear();
  polling_ = std::make_unique<PollingWatcher>(loop_, callbacks_.rescan, std::move(why));
  polling_->start();
}

void InotifyWatcher::read_events() {
  if (!descriptor_.is_open()) return;
  descriptor_.async_read_some(boost::asio::buffer(buffer_), [this](const boost::system::error_code& ec, std::size_t n) {
    if (ec) return;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= n;) {
      const auto& event = *reinterpret_cast<const inotify_event*>(buffer_.data() + at);
      at += sizeof(inotify_event) + event.len;
      on_event(event);
    }
    read_events();
  });
}

void InotifyWatcher::on_event(const inotify_event& event) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) return callbacks_.rescan();
  const auto it = directories_.find(event.wd);
  if (it == directories_.end()) return;
  const fs::path dir = it->second;
  if ((event.mask & IN_IGNORED) != 0) {
    directories_.erase(it);
    return;
  }
  if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF)) != 0) {
    ::inotify_rm_watch(descriptor_.native_handle(), event.wd);
    watch_roots();  // a root that went away is waited for again
    return callbacks_.changed(dir);
  }
  const fs::path path = event.len > 0 ? dir / event.name : dir;
  const bool is_dir = (event.mask & IN_ISDIR) != 0;
  if (is_dir && (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
    // Either inside a root, or a step on the way to one. What was made in it before the watch is found by the hint.
    bool inside = false;
    for (const auto& root : discovery_.roots())
      inside = inside || path.native().starts_with(root.path.native());
    if (inside)
      watch_tree(path);
    else
      watch_roots();
    for (const auto& root : discovery_.roots())
      if (inside || root.path.native().starts_with(path.native())) return callbacks_.changed(inside ? path : root.path);
    return;
  }
  if (is_dir) return callbacks_.rescan();  // moved away or deleted: sources went with it
  if (discovery_.classify(path)) callbacks_.changed(path);
}

std::unique_ptr<Watcher> make_watcher(boost::asio::io_context& loop, const Discovery& discovery,
                                      Watcher::Callbacks callbacks) {
  return std::make_unique<InotifyWatcher>(loop, discovery, std::move(callbacks));
}

}  // namespace memd

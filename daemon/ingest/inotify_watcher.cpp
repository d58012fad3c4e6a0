#include "daemon/ingest/inotify_watcher.hpp"

#ifdef __linux__

#include "daemon/ingest/discovery.hpp"
#include "store/files/path_name.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace memd {
namespace fs = std::filesystem;

void WatchTable::put(int watch, const std::filesystem::path& directory) {
  erase(watch);  // the directory may be known by a name it no longer has
  if (const auto it = by_path_.find(directory.native()); it != by_path_.end()) paths_.erase(it->second);
  paths_[watch] = directory;
  by_path_[directory.native()] = watch;
}

void WatchTable::erase(int watch) {
  const auto it = paths_.find(watch);
  if (it == paths_.end()) return;
  by_path_.erase(it->second.native());
  paths_.erase(it);
}

std::vector<int> WatchTable::take_below(const std::filesystem::path& directory) {
  std::vector<int> out;
  if (const auto it = by_path_.find(directory.native()); it != by_path_.end()) {
    out.push_back(it->second);
    paths_.erase(it->second);
    by_path_.erase(it);
  }
  const std::string prefix = directory.native() + "/";
  auto it = by_path_.lower_bound(prefix);
  while (it != by_path_.end() && it->first.starts_with(prefix)) {
    out.push_back(it->second);
    paths_.erase(it->second);
    it = by_path_.erase(it);
  }
  return out;
}

namespace {

constexpr std::uint32_t kSelf = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
// For directories that can hold sources.
constexpr std::uint32_t kTree =
    kSelf | IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM;
// For files elsewhere that links lead to.
constexpr std::uint32_t kFile = IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF;
// For directories on the way to a missing root: only the next step matters.
constexpr std::uint32_t kStep = kSelf | IN_CREATE | IN_MOVED_TO;

constexpr std::size_t kMostDirectories = 8192;

std::size_t default_limit() {
  std::size_t allowed = 0;
  std::ifstream("/proc/sys/fs/inotify/max_user_watches") >> allowed;
  return allowed == 0 ? kMostDirectories : std::min(kMostDirectories, allowed / 2);
}

fs::path nearest_existing(fs::path path) {
  std::error_code ec;
  while (path != path.root_path() && !fs::is_directory(path, ec))
    path = path.parent_path();
  return path;
}

}  // namespace

InotifyWatcher::InotifyWatcher(boost::asio::io_context& loop, const Discovery& discovery, Callbacks callbacks,
                               WatchOptions options)
    : loop_(loop),
      discovery_(discovery),
      callbacks_(std::move(callbacks)),
      options_(options),
      coroutines_(loop),
      events_(loop),
      mounts_(loop) {
  if (options_.max_directories == 0) options_.max_directories = default_limit();
}

InotifyWatcher::~InotifyWatcher() = default;

void InotifyWatcher::start() {
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) return fall_back(std::string("inotify is not available, ") + std::strerror(errno));
  events_.assign(fd);
  watch_roots();
  coroutines_.spawn(read_events());
  if (const int mounts = ::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC); mounts >= 0) {
    mounts_.assign(mounts);
    places_ = root_places();
    coroutines_.spawn(watch_mounts());
  }
}

void InotifyWatcher::stop() {
  stopped_ = true;
  coroutines_.cancel();
  boost::system::error_code ignored;
  events_.close(ignored);
  mounts_.close(ignored);
  if (polling_) polling_->stop();
}

std::string InotifyWatcher::describe() const {
  if (!events_.is_open() && polling_) return polling_->describe();
  std::string out = "inotify, " + std::to_string(table_.size()) + " directories";
  if (polling_) out += "; " + polling_->describe();
  return out;
}

bool InotifyWatcher::watch_also(const std::vector<fs::path>& directories) {
  if (!events_.is_open()) return polling_ && polling_->watch_also(directories);
  also_ = {directories.begin(), directories.end()};
  also_steps_.clear();
  const auto before = std::exchange(also_watched_, {});
  for (const auto& directory : also_)
    if (add_watch(directory, kTree, {}) || wait_for(directory)) also_watched_[directory] = table_.watch_of(directory);
  // A new directory of the same name has a new watch.
  return !std::includes(before.begin(), before.end(), also_watched_.begin(), also_watched_.end());
}

// Watches the nearest existing ancestor of a missing directory. True: the directory has appeared meanwhile and is
// watched.
bool InotifyWatcher::wait_for(const fs::path& directory) {
  std::error_code ec;
  for (int i = 0; i < 8; ++i) {  // a directory may appear between the look-up and the watch
    const fs::path up = nearest_existing(directory.parent_path());
    if (!add_watch(up, kStep, {})) return false;
    const fs::path step = up / *directory.lexically_relative(up).begin();
    if (!fs::is_directory(step, ec)) {
      also_steps_.insert(step);
      return false;
    }
    if (add_watch(directory, kTree, {})) return true;
  }
  return false;
}

void InotifyWatcher::watch_roots() {
  for (const auto& root : discovery_.roots())
    watch_place_of(root.path);
}

void InotifyWatcher::watch_place_of(const fs::path& root) {
  std::error_code ec;
  fs::path up = root;
  if (fs::is_directory(root, ec)) {
    watch_tree(root);
  } else if (fs::exists(root, ec)) {
    up = root.parent_path();
    add_watch(up, kTree, root);  // a single file; its siblings belong to no source
  } else {
    up = nearest_existing(root.parent_path());
    add_watch(up, kStep, root);
    // No event reports what appeared between the look-up and the watch.
    if (fs::exists(root, ec) || nearest_existing(root.parent_path()) != up) {
      if (fs::exists(root, ec)) callbacks_.changed(root);
      return watch_place_of(root);
    }
  }
  // When a directory further up is renamed, the watches below it follow without an event.
  for (up = up.parent_path(); up != up.root_path(); up = up.parent_path())
    if (!add_watch(up, kSelf, {})) break;
}

// Watches first and lists second, until the list has nothing new. Otherwise directories created in between would be
// missed.
void InotifyWatcher::watch_tree(const fs::path& dir) {
  auto directories = discovery_.directories(dir);
  if (table_.size() + directories.size() > options_.max_directories) {
    // Not all directories get a watch. Those changed last are the likeliest to change next.
    const auto changed = [](const fs::path& d) {
      std::error_code ec;
      return fs::last_write_time(d, ec);
    };
    std::stable_sort(directories.begin(), directories.end(),
                     [&](const fs::path& a, const fs::path& b) { return changed(a) > changed(b); });
  }
  // A watch of a link to a file is one of the file.
  std::error_code ec;
  const auto add = [&](const fs::path& path) {
    return add_watch(path, fs::is_directory(path, ec) ? kTree : kFile, path);
  };
  bool added = false;
  for (const auto& directory : directories)
    added |= add(directory);
  while (std::exchange(added, false))
    for (const auto& directory : discovery_.directories(dir))
      if (!table_.contains(directory)) added |= add(directory);
}

bool InotifyWatcher::add_watch(const fs::path& dir, std::uint32_t mask, const fs::path& else_poll) {
  if (!events_.is_open()) return false;
  if (table_.size() >= options_.max_directories && !table_.contains(dir)) {
    poll(else_poll, ": the limit of " + std::to_string(options_.max_directories) + " watches is reached");
    return false;
  }
  // A directory may lie on the way to one root and inside another, so the masks are combined.
  const int watch = ::inotify_add_watch(events_.native_handle(), dir.c_str(), mask | IN_MASK_ADD);
  if (watch >= 0) {
    table_.put(watch, dir);
    return true;
  }
  if (errno == ENOSPC || errno == ENOMEM || errno == EMFILE)
    poll(else_poll, std::string(": out of inotify watches (") + std::strerror(errno) + ")");
  return false;  // else: removed again, or not readable
}

void InotifyWatcher::poll(const fs::path& dir, std::string why) {
  if (dir.empty()) return;
  for (fs::path up = dir; up != up.root_path(); up = up.parent_path())
    if (polled_.contains(up)) return;
  polled_.insert(dir);
  if (polling_) return;
  const auto look = [this] {
    for (const auto& directory : polled_)
      callbacks_.changed(directory);
  };
  why_polled_ = std::move(why);
  polling_ =
      std::make_unique<PollingWatcher>(loop_, look, " what could not be watched" + why_polled_, options_.poll_interval);
  polling_->start();
}

void InotifyWatcher::drop_below(const fs::path& dir) {
  for (const int watch : table_.take_below(dir))
    ::inotify_rm_watch(events_.native_handle(), watch);
  std::erase_if(polled_, [&](const fs::path& directory) { return files::is_inside(directory, dir); });
}

void InotifyWatcher::fall_back(std::string why) {
  polling_ = std::make_unique<TreeWatcher>(loop_, discovery_, callbacks_, options_.poll_interval, ": " + std::move(why),
                                           nullptr);
  polling_->start();
}

boost::asio::awaitable<void> InotifyWatcher::read_events() {
  const auto buffer = boost::asio::buffer(buffer_);
  for (;;) {
    const auto [ended, n] = co_await events_.async_read_some(buffer, kAsResult);
    if (ended || stopped_) co_return;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= n;) {
      const auto& event = *reinterpret_cast<const inotify_event*>(buffer_.data() + at);
      at += sizeof(inotify_event) + event.len;
      on_event(event);
    }
  }
}

// Watches /proc/self/mountinfo: a mount over a directory causes no event on that directory's watch.
boost::asio::awaitable<void> InotifyWatcher::watch_mounts() {
  for (;;) {
    const auto [ended] = co_await mounts_.async_wait(boost::asio::posix::stream_descriptor::wait_error, kAsResult);
    if (ended || stopped_) co_return;
    std::string places = root_places();
    if (places == places_) continue;
    places_ = std::move(places);
    for (const auto& root : discovery_.roots())
      drop_below(root.path);
    watch_roots();
    callbacks_.rescan();
  }
}

// Returns, for each root, the directory it resolves to now, or its nearest existing ancestor.
std::string InotifyWatcher::root_places() const {
  std::string out;
  for (const auto& root : discovery_.roots()) {
    const fs::path place = nearest_existing(root.path);
    struct ::stat st {};
    if (::stat(place.c_str(), &st) == 0)
      out += place.native() + " " + std::to_string(st.st_dev) + "/" + std::to_string(st.st_ino) + "\n";
  }
  return out;
}

bool InotifyWatcher::leads_to_root(const fs::path& dir) const {
  return std::any_of(discovery_.roots().begin(), discovery_.roots().end(),
                     [&](const auto& root) { return files::is_inside(root.path, dir); });
}

void InotifyWatcher::on_event(const inotify_event& event) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    watch_roots();  // directories may have appeared without an event
    return callbacks_.rescan();
  }
  const fs::path* watched = table_.find(event.wd);
  if (watched == nullptr) return;
  const fs::path dir = *watched;
  if (callbacks_.also_changed && also_.contains(dir)) callbacks_.also_changed(event.len > 0 ? dir / event.name : dir);
  const bool is_step = event.len > 0 && (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0;
  if (callbacks_.also_came && is_step && also_steps_.contains(dir / event.name)) callbacks_.also_came();
  if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) != 0) return on_directory_lost(dir);
  const fs::path path = event.len > 0 ? dir / event.name : dir;
  const bool is_directory = (event.mask & IN_ISDIR) != 0;
  if ((event.mask & (IN_DELETE | IN_MOVED_FROM)) != 0 && (is_directory || table_.contains(path)))
    return on_directory_lost(path);
  const bool is_found = (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0;
  std::error_code ec;
  const bool is_link = is_found && !is_directory && fs::is_symlink(path, ec);
  if (is_found && (is_directory || (is_link && fs::is_directory(path, ec)))) return on_directory_found(path);
  if (is_link) watch_tree(path);
  if (!is_directory) on_file(path);
}

// Handles a directory that was deleted, renamed or unmounted, with everything below it, and the file that a link leads
// to.
void InotifyWatcher::on_directory_lost(const fs::path& dir) {
  drop_below(dir);
  std::error_code ec;
  if (fs::is_symlink(dir, ec) && discovery_.classify(dir)) watch_tree(dir);  // another file stands in its place
  std::erase_if(also_watched_, [&](const auto& watched) { return files::is_inside(watched.first, dir); });
  const auto is_below = [&](const fs::path& step) { return files::is_inside(step.parent_path(), dir); };
  if (callbacks_.also_came && std::any_of(also_steps_.begin(), also_steps_.end(), is_below)) callbacks_.also_came();
  if (leads_to_root(dir)) watch_roots();  // waits for a removed root
  callbacks_.changed(dir);
}

void InotifyWatcher::on_directory_found(const fs::path& dir) {
  // The hint covers what was created in it before the watch.
  watch_tree(dir);
  if (leads_to_root(dir)) watch_roots();
  if (table_.contains(dir) || polled_.contains(dir)) callbacks_.changed(dir);
}

void InotifyWatcher::on_file(const fs::path& file) {
  for (const auto& root : discovery_.roots())
    if (root.path == file) watch_place_of(file);  // a root that is a single file has appeared
  if (const auto source = discovery_.classify(file))
    callbacks_.source_changed(*source, file);
  else if (discovery_.part_of(file))
    callbacks_.changed(file);
}

}  // namespace memd

#endif

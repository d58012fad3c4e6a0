#include "schemas/base/unique_fd.hpp"

#include <sys/epoll.h>
#include <sys/event.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace {

using memd::UniqueFd;

constexpr std::uint32_t kChanges =
    IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE | IN_MOVE_SELF;

std::string name_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

bool readable_wakes(int queue, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  return ::epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event) == 0;
}

// What belongs to the descriptor of an epoll that kqueue() has returned.
class Queue {
 public:
  explicit Queue(int queue) : queue_(queue) {
    readable_wakes(queue, user_.get());
    readable_wakes(queue, changes_.get());
  }

  int change(const struct kevent& event) {
    if (event.filter == EVFILT_USER) {
      if ((event.fflags & NOTE_TRIGGER) != 0) ::eventfd_write(user_.get(), 1);
      return 0;
    }
    struct ::stat st {};
    const int fd = static_cast<int>(event.ident);
    const int watch = ::inotify_add_watch(changes_.get(), name_of(fd).c_str(), kChanges);
    if (watch < 0 || ::fstat(fd, &st) != 0) return -1;
    const std::lock_guard lock(mutex_);
    watched_[watch] = {fd, st.st_dev, st.st_ino};
    return 0;
  }

  int wait(struct kevent& event) {
    for (;;) {
      epoll_event ready{};
      if (::epoll_wait(queue_, &ready, 1, -1) < 0) return -1;
      if (ready.data.fd == user_.get()) {
        event = {0, EVFILT_USER, 0, 0, 0, nullptr};
        return 1;
      }
      if (has_change()) {
        event = {0, EVFILT_VNODE, 0, 0, 0, nullptr};
        return 1;
      }
    }
  }

 private:
  struct Watched {
    int fd = -1;
    dev_t device = 0;
    ino_t inode = 0;
  };

  // Reads all that inotify tells. A descriptor that was closed has left the queue.
  bool has_change() {
    alignas(inotify_event) std::array<char, 4096> buffer{};
    const ssize_t size = ::read(changes_.get(), buffer.data(), buffer.size());
    bool changed = false;
    const std::lock_guard lock(mutex_);
    for (ssize_t at = 0; at < size;) {
      inotify_event told{};
      std::memcpy(&told, buffer.data() + at, sizeof told);
      at += static_cast<ssize_t>(sizeof told + told.len);
      const auto known = watched_.find(told.wd);
      struct ::stat st {};
      if (known == watched_.end()) continue;
      const Watched& watched = known->second;
      // By name, because the owner may close it at any time.
      if (::stat(name_of(watched.fd).c_str(), &st) == 0 && st.st_dev == watched.device && st.st_ino == watched.inode) {
        changed = true;
      } else {
        ::inotify_rm_watch(changes_.get(), told.wd);
        watched_.erase(known);
      }
    }
    return changed;
  }

  int queue_;
  UniqueFd user_{::eventfd(0, EFD_CLOEXEC)};
  UniqueFd changes_{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  std::mutex mutex_;
  std::map<int, Watched> watched_;
};

std::mutex queues_mutex;

// The owner of a queue closes its descriptor, so the rest is kept until the number is given again.
std::map<int, std::shared_ptr<Queue>>& queues() {
  static std::map<int, std::shared_ptr<Queue>> all;
  return all;
}

}  // namespace

int kqueue() {
  const int queue = ::epoll_create1(EPOLL_CLOEXEC);
  const std::lock_guard lock(queues_mutex);
  queues()[queue] = std::make_shared<Queue>(queue);
  return queue;
}

int kevent(int queue, const struct kevent* changes, int change_count, struct kevent* events, int /*event_count*/,
           const timespec* /*patience*/) {
  std::shared_ptr<Queue> found;
  {
    const std::lock_guard lock(queues_mutex);
    found = queues().at(queue);
  }
  return change_count > 0 ? found->change(*changes) : found->wait(*events);
}

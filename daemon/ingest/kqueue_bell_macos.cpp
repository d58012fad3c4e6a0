#include "daemon/ingest/kqueue_bell.hpp"

#include "schemas/base/unique_fd.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <sys/event.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <string>
#include <thread>
#include <utility>

namespace memd {
namespace {

constexpr unsigned kChanges = NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME | NOTE_LINK | NOTE_REVOKE;

// A descriptor for each file and directory. A thread of its own waits: Asio cannot wait for a kqueue.
class KqueueBell final : public ChangeBell {
 public:
  explicit KqueueBell(boost::asio::io_context& loop) : loop_(loop), queue_(::kqueue()) {}
  ~KqueueBell() override { stop(); }

  void start(std::function<void()> rang) override {
    rang_ = std::move(rang);
    if (queue_ && change(kEnd, EVFILT_USER, EV_ADD | EV_CLEAR, 0)) thread_ = std::thread([this] { wait(); });
  }

  void hear(const std::vector<std::filesystem::path>& paths) override {
    if (!thread_.joinable()) return;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    std::map<std::string, Heard> heard;
    for (const std::filesystem::path& path : paths) {
      if (heard.size() >= files.rlim_cur / 4) break;
      struct ::stat st {};
      if (::stat(path.c_str(), &st) != 0) continue;
      const auto known = heard_.find(path.native());
      if (known != heard_.end() && known->second.device == st.st_dev && known->second.inode == st.st_ino) {
        heard.insert(heard_.extract(known));
        continue;
      }
      UniqueFd fd(::open(path.c_str(), O_EVTONLY | O_CLOEXEC));
      if (!fd || !change(static_cast<uintptr_t>(fd.get()), EVFILT_VNODE, EV_ADD | EV_CLEAR, kChanges)) continue;
      heard[path.native()] = {std::move(fd), st.st_dev, st.st_ino};
    }
    heard_ = std::move(heard);  // a closed descriptor leaves the queue
  }

  void stop() override {
    stopped_ = true;
    if (!thread_.joinable()) return;
    change(kEnd, EVFILT_USER, 0, NOTE_TRIGGER);
    thread_.join();
    heard_.clear();
  }

 private:
  struct Heard {
    UniqueFd fd;
    dev_t device = 0;
    ino_t inode = 0;
  };
  static constexpr uintptr_t kEnd = 0;  // of EVFILT_USER

  bool change(uintptr_t id, int filter, unsigned action, unsigned notes) {
    struct ::kevent event {};
    EV_SET(&event, id, static_cast<int16_t>(filter), static_cast<uint16_t>(action), notes, 0, nullptr);
    return ::kevent(queue_.get(), &event, 1, nullptr, 0, nullptr) == 0;
  }

  void wait() {
    for (;;) {
      struct ::kevent event {};
      const int events = ::kevent(queue_.get(), nullptr, 0, &event, 1, nullptr);
      if (events < 0 && errno == EINTR) continue;
      if (events <= 0 || event.filter == EVFILT_USER) return;
      if (is_told_.exchange(true)) continue;
      boost::asio::post(loop_, [this] {
        is_told_ = false;
        if (!stopped_) rang_();
      });
    }
  }

  boost::asio::io_context& loop_;
  std::function<void()> rang_;
  UniqueFd queue_;
  std::map<std::string, Heard> heard_;
  std::atomic<bool> is_told_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ChangeBell> make_kqueue_bell(boost::asio::io_context& loop) {
  return std::make_unique<KqueueBell>(loop);
}

}  // namespace memd

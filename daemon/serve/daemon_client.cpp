#include "daemon/serve/daemon_client.hpp"

#include "daemon/serve/spawn_detached.hpp"
#include "daemon/serve/state_directory.hpp"
#include "protocol/transport/unix_socket.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <thread>
#include <utility>

namespace memd {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Short at first: a daemon is up within milliseconds, and someone waits for its first answer.
constexpr milliseconds kFirstWait(1);
constexpr milliseconds kLongestWait(100);
constexpr std::size_t kLogTail = 2000;  // bytes

fs::path log_file(const DaemonAddress& address) { return address.data_dir / "memd.log"; }

bool nobody_listens(const Error& e) {
  return e.code == boost::system::errc::no_such_file_or_directory || e.code == boost::system::errc::connection_refused;
}

}  // namespace

fs::path own_executable(const char* argv0) {
  std::error_code ec;
  fs::path path = fs::read_symlink("/proc/self/exe", ec);
  if (ec) {
    path = fs::absolute(argv0 == nullptr ? "memd" : argv0, ec);
    return path;
  }
  // The file was replaced while we run: start what stands there now.
  constexpr std::string_view deleted = " (deleted)";
  const std::string text = path.native();
  if (text.ends_with(deleted)) {
    const fs::path replaced = text.substr(0, text.size() - deleted.size());
    if (fs::exists(replaced, ec)) return replaced;
    return "/proc/self/exe";
  }
  return path;
}

DaemonClient::DaemonClient(DaemonAddress address, milliseconds deadline)
    : address_(std::move(address)), deadline_(deadline) {}

void DaemonClient::begin() {
  give_up_at_ = steady_clock::now() + deadline_;
  wait_ = milliseconds(0);
  spawned_ = false;
}

milliseconds DaemonClient::next_wait() {
  wait_ = std::clamp(wait_ * 2, kFirstWait, kLongestWait);
  return wait_;
}

Result<UniqueFd> DaemonClient::connect_now(const fs::path& socket) const {
  MEMD_TRY_ASSIGN(const int raw, transport::connect_unix_fd(socket.native()));
  UniqueFd fd(raw);
  MEMD_TRY(transport::require_same_user(fd.get()));
  return fd;
}

Result<std::optional<UniqueFd>> DaemonClient::attempt() {
  auto fd = connect_now(address_.socket);
  if (fd) return std::optional<UniqueFd>(std::move(*fd));
  if (!nobody_listens(fd.error())) return fd.error();
  if (address_.program.empty())
    return Error(Errc::unavailable, fmt::format("no memd daemon listens on {}", address_.socket.native()));

  MEMD_TRY(open_state_directory(address_.data_dir));
  MEMD_TRY_ASSIGN(auto holder, InstanceLock::attempt(address_.data_dir));
  if (holder.lock) {
    // The lock of a daemon that we started is free again: it has died.
    if (spawned_)
      return Error(Errc::unavailable, fmt::format("the memd daemon ended while starting; {} says:\n{}",
                                                  log_file(address_).native(), log_tail()));
    MEMD_TRY(spawn(*holder.lock));
    spawned_ = true;
  } else if (!holder.socket.empty() && holder.socket != address_.socket) {
    // A daemon that was started from another environment listens elsewhere, and says where.
    if (auto elsewhere = connect_now(holder.socket)) return std::optional<UniqueFd>(std::move(*elsewhere));
  }
  if (steady_clock::now() >= give_up_at_)
    return Error(Errc::unavailable,
                 fmt::format("the memd daemon (process {}) holds {} but does not answer on {}", holder.holder,
                             (address_.data_dir / "memd.pid").native(), address_.socket.native()));
  return std::optional<UniqueFd>();
}

Result<UniqueFd> DaemonClient::connect() {
  begin();
  for (;;) {
    MEMD_TRY_ASSIGN(auto fd, attempt());
    if (fd) return std::move(*fd);
    std::this_thread::sleep_for(next_wait());
  }
}

Result<void> DaemonClient::spawn(const InstanceLock& lock) {
  const fs::path log = log_file(address_);
  const UniqueFd output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output) return Error::from_errno(errno, "open", log.native());
  struct stat st {};
  if (::fstat(output.get(), &st) == 0) log_start_ = static_cast<std::uintmax_t>(st.st_size);
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return Error::from_errno(errno, "open", "/dev/null");
  DetachedProcess process;
  process.program = address_.program;
  process.arguments = address_.arguments;
  process.stdin_fd = null.get();
  process.output_fd = output.get();
  process.kept_fd = lock.fd();
  process.kept_fd_variable = kLockFdVariable;
  return spawn_detached(process);
}

std::string DaemonClient::log_tail() const {
  std::ifstream in(log_file(address_), std::ios::binary);
  in.seekg(0, std::ios::end);
  const auto end = static_cast<std::uintmax_t>(in.tellg());
  std::uintmax_t start = std::min(log_start_, end);
  if (end - start > kLogTail) start = end - kLogTail;
  std::string text(end - start, '\0');
  in.seekg(static_cast<std::streamoff>(start));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  while (text.ends_with('\n'))
    text.pop_back();
  return text.empty() ? "(nothing)" : text;
}

}  // namespace memd

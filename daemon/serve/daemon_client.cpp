#include "daemon/serve/daemon_client.hpp"

#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/newest_program.hpp"
#include "daemon/version.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/error.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

extern char** environ;

namespace memd {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Short at first: a daemon starts within milliseconds, and a client waits for its first answer.
constexpr milliseconds kFirstWait(1);
constexpr milliseconds kLongestWait(100);
constexpr std::size_t kLogTail = 2000;  // bytes

fs::path log_file(const DaemonAddress& address) { return address.data_dir / "memd.log"; }

bool nobody_listens(const Error& e) {
  return e.code == boost::system::errc::no_such_file_or_directory || e.code == boost::system::errc::connection_refused;
}

struct DetachedProcess {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // without the program's name
  int stdin_fd = -1;
  int output_fd = -1;            // stdout and stderr
  int kept_fd = -1;              // arrives as descriptor 3; every other one above it is closed
  std::string kept_fd_variable;  // the environment variable set to "3"
};

constexpr int kKept = 3;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts)
    out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

void close_from(int first) {
#ifdef SYS_close_range  // musl has no function for it
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
#endif
  const long limit = ::sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < limit && fd < 65536; ++fd)
    ::close(fd);
}

// Turns the grandchild into the daemon.
[[noreturn]] void become(const DetachedProcess& p, char* const* argv, char* const* env) {
  ::setsid();
  ::umask(077);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);  // a macro on macOS
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Duplicated above the target numbers first, so that no dup2 below overwrites a descriptor still needed.
  const int in = ::fcntl(p.stdin_fd, F_DUPFD, 10);
  const int out = ::fcntl(p.output_fd, F_DUPFD, 10);
  const int kept = ::fcntl(p.kept_fd, F_DUPFD, 10);
  const bool placed = ::dup2(in, 0) >= 0 && ::dup2(out, 1) >= 0 && ::dup2(out, 2) >= 0 && ::dup2(kept, kKept) >= 0;
  if (!placed) ::_exit(126);
  close_from(kKept + 1);
  if (::chdir("/") == 0) ::execve(p.program.c_str(), argv, env);
  const char* const reason = ::strerror(errno);
  for (const char* part : {"memd: cannot start ", p.program.c_str(), ": ", reason, "\n"})
    if (::write(2, part, ::strlen(part)) < 0) break;
  ::_exit(127);
}

// Starts a process that is no child of this one: its own session, working directory /, umask 077, default signals. A
// failed exec shows in its output, not in the result. After the fork only async-signal-safe calls are made.
Result<void> spawn_detached(const DetachedProcess& process) {
  std::vector<std::string> arguments{process.program.native()};
  arguments.insert(arguments.end(), process.arguments.begin(), process.arguments.end());
  std::vector<std::string> environment;
  const std::string prefix = process.kept_fd_variable + "=";
  for (char** e = environ; *e != nullptr; ++e)
    if (!std::string_view(*e).starts_with(prefix)) environment.emplace_back(*e);
  environment.push_back(prefix + std::to_string(kKept));
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> env = pointers(environment);

  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno(errno, "fork", {});
  if (child == 0) {
    // A second fork: init adopts the daemon, so that no client has to wait for it.
    const pid_t grandchild = ::fork();
    if (grandchild == 0) become(process, argv.data(), env.data());
    ::_exit(grandchild < 0 ? 1 : 0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return Error(Errc::unavailable, "the daemon could not be forked");
  return {};
}

}  // namespace

DaemonClient::DaemonClient(DaemonAddress address, StandInDoor stand_in, milliseconds deadline)
    : address_(std::move(address)), stand_in_(std::move(stand_in)), deadline_(deadline) {}

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
  MEMD_TRY_ASSIGN(UniqueFd fd, transport::connect_unix(socket.native()));
  MEMD_TRY(transport::require_same_user(fd.get()));
  return fd;
}

Result<std::optional<UniqueFd>> DaemonClient::attempt() {
  auto fd = connect_now(address_.socket);
  if (fd) {
    MEMD_TRY_ASSIGN(const bool makes_way, older_makes_way());
    return makes_way ? std::optional<UniqueFd>() : std::optional<UniqueFd>(std::move(*fd));
  }
  if (!nobody_listens(fd.error())) return fd.error();
  if (address_.program.empty())
    return Error(Errc::unavailable, fmt::format("no memd daemon listens on {}", address_.socket.native()));

  MEMD_TRY(open_state_directory(address_.data_dir));
  MEMD_TRY_ASSIGN(auto holder, InstanceLock::attempt(address_.data_dir));
  if (holder.lock) {
    // The lock of the daemon we started is free again, so it has died.
    if (spawned_)
      return Error(Errc::unavailable, fmt::format("the memd daemon ended while starting; {} says:\n{}",
                                                  log_file(address_).native(), log_tail()));
    MEMD_TRY(spawn(*holder.lock));
    spawned_ = true;
  } else if (holder.is_command() && stand_in_) {
    MEMD_TRY_ASSIGN(auto instead, stand_in_(holder));
    return std::optional<UniqueFd>(std::move(instead));
  } else if (!holder.socket.empty() && holder.socket != address_.socket) {
    // A daemon started in another environment listens on another socket, which memd.pid names.
    if (auto elsewhere = connect_now(holder.socket)) return std::optional<UniqueFd>(std::move(*elsewhere));
  }
  if (steady_clock::now() >= give_up_at_ && holder.is_command()) return holder.busy();
  if (steady_clock::now() >= give_up_at_)
    return Error(Errc::unavailable,
                 fmt::format("the memd daemon (process {}) holds {} but does not answer on {}", holder.holder,
                             (address_.data_dir / "memd.pid").native(), address_.socket.native()));
  return std::optional<UniqueFd>();
}

Result<bool> DaemonClient::older_makes_way() {
  if (address_.program.empty()) return false;
  const auto said = InstanceLock::look(address_.data_dir);
  if (said.holder <= 1 || said.socket.empty() || !is_older(said.version, version())) return false;
  if (said.holder == asked_) return steady_clock::now() < asked_until_;  // better an old daemon that stays than none
  // The file may be stale; a held lock shows that it is not.
  MEMD_TRY_ASSIGN(const auto holder, InstanceLock::attempt(address_.data_dir));
  if (holder.lock || holder.holder != said.holder) return false;
  note_program(address_.data_dir, address_.program);  // older clients that act first then start this program too
  ::kill(said.holder, SIGTERM);
  asked_ = said.holder;
  asked_until_ = steady_clock::now() + deadline_;
  give_up_at_ = asked_until_ + deadline_;
  return true;
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
  const NewestProgram newer = newer_program(address_.data_dir);
  process.program = newer.program.empty() ? address_.program : newer.program;
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

#include "daemon/config/secret.hpp"

#include "protocol/transport/byte_stream.hpp"
#include "schemas/ascii.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

extern char** environ;

namespace memd::config {
namespace {

constexpr std::size_t kLongestSecret = 4096;

Error wrong(const std::string& where, std::string_view what) {
  return Error(Errc::bad_config, where + ": " + std::string(what));
}

// What the child starts with: no input, output into the pipe, a process group of its own, no signal held or ignored.
class SpawnSetup {
 public:
  explicit SpawnSetup(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  // errno, or 0.
  int spawn(const std::vector<std::string>& command, pid_t& pid) const {
    std::vector<char*> argv;
    for (const auto& word : command)
      argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    return ::posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// A child that is reaped, and killed with its group if it still runs.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Its status; nullopt: it still runs.
  std::optional<int> wait_until(std::chrono::steady_clock::time_point until) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(pid_, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < until)
      ::poll(nullptr, 0, 5);
    if (ended == 0) return std::nullopt;
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

// Reads until the other end is closed or the time is over. False: it is over, or there is more than a secret.
bool read_until(std::chrono::steady_clock::time_point until, int fd, std::string& out) {
  std::array<char, kLongestSecret> buffer{};
  while (out.size() <= kLongestSecret) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return false;
}

}  // namespace

Result<std::string> checked_secret(std::string_view text, const std::string& where) {
  text = ascii::trimmed(text);
  if (text.empty()) return wrong(where, "it holds no key");
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c >= 0x7F; }))
    return wrong(where, "a key is one line of visible ASCII");
  return std::string(text);
}

Result<std::string> read_secret_file(const std::filesystem::path& file, const std::string& where) {
  const UniqueFd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!in) return wrong(where, std::strerror(errno));
  struct ::stat st {};  // of what was opened, not of what the name means by now
  if (::fstat(in.get(), &st) != 0 || !S_ISREG(st.st_mode)) return wrong(where, "not a file");
  if (st.st_uid != ::geteuid() && st.st_uid != 0) return wrong(where, "it belongs to another user");
  if ((st.st_mode & 077) != 0) return wrong(where, "others may read it: chmod 600 " + file.string());
  std::array<char, kLongestSecret + 1> buffer{};
  const auto got = ::read(in.get(), buffer.data(), buffer.size());
  if (got < 0) return wrong(where, std::strerror(errno));
  if (static_cast<std::size_t>(got) > kLongestSecret) return wrong(where, "too long for a key");
  return checked_secret({buffer.data(), static_cast<std::size_t>(got)}, where);
}

Result<std::string> run_secret_command(const std::vector<std::string>& command, const std::string& where,
                                       std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::array<int, 2> ends{-1, -1};
  if (::pipe(ends.data()) != 0) return wrong(where, std::strerror(errno));
  const UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  for (const int fd : ends)
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  pid_t pid = 0;
  if (const int error = SpawnSetup(in.get()).spawn(command, pid); error != 0)
    return wrong(where, command.front() + ": " + std::strerror(error));
  Child child(pid);
  in.reset();
  std::string text;
  const bool whole = read_until(until, out.get(), text);
  if (text.size() > kLongestSecret) return wrong(where, command.front() + " prints more than a key");
  const auto status = whole ? child.wait_until(until) : std::nullopt;
  if (!status) return wrong(where, command.front() + " did not end within " + std::to_string(patience.count()) + " ms");
  if (!WIFEXITED(*status)) return wrong(where, command.front() + " was ended by a signal");
  if (WEXITSTATUS(*status) != 0)
    return wrong(where, command.front() + " failed with " + std::to_string(WEXITSTATUS(*status)));
  return checked_secret(text, where);
}

}  // namespace memd::config

#include "daemon/child_process.hpp"

#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

extern char** environ;

namespace memd {
namespace {

// Returns a file without a name that has the text and is read from its start; none for an empty text.
UniqueFd file_of(const std::string& text) {
  if (text.empty()) return {};
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return {};
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  UniqueFd fd(whole ? ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0) : -1);
  std::fclose(file);
  if (fd) ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words)
    out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// The start-up settings of the child: input if there is any, output into the pipe, its own process group, no blocked or
// ignored signals.
class SpawnSetup {
 public:
  // `input` < 0: none.
  SpawnSetup(int input, int output, bool keep_errors) {
    posix_spawn_file_actions_init(&actions_);
    if (input < 0)
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    else
      posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    if (!keep_errors) posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
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

  // Starts the child. Returns 0 or errno.
  int spawn(const ChildCommand& command, pid_t& pid) const {
    std::vector<char*> argv = pointers(command.arguments);
    std::vector<char*> variables;
    if (command.environment) variables = pointers(*command.environment);
    return ::posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(),
                          command.environment ? variables.data() : environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Owns a child process. Reaps it, and first kills its group if it still runs.
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

  // Returns its exit status; nullopt: it still runs.
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

enum class ReadEnd { whole, late, too_long };

// Reads until the other end is closed.
ReadEnd read_until(std::chrono::steady_clock::time_point until, int fd, std::size_t most, std::string& out) {
  std::array<char, 16384> buffer{};
  while (out.size() <= most) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return ReadEnd::late;
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return ReadEnd::whole;
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return ReadEnd::too_long;
}

Error failed(const ChildCommand& command, std::string_view what) {
  return Error(Errc::unavailable, command.arguments.front() + std::string(what));
}

}  // namespace

Result<ChildOutput> run_child(const ChildCommand& command) {
  const auto until = std::chrono::steady_clock::now() + command.patience;
  std::array<int, 2> ends{-1, -1};
#ifdef __linux__
  const int made = ::pipe2(ends.data(), O_CLOEXEC);
#else
  const int made = ::pipe(ends.data());
  for (const int end : ends)
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  if (made != 0) return Error::from_errno(errno, "pipe", command.arguments.front());
  const UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  const UniqueFd input = file_of(command.input);
  if (!input && !command.input.empty()) return Error::from_errno(errno, "write", "a temporary file");
  pid_t pid = 0;
  if (const int error = SpawnSetup(input ? input.get() : -1, in.get(), command.keep_errors).spawn(command, pid);
      error != 0)
    return failed(command, std::string(": ") + std::strerror(error));
  Child child(pid);
  in.reset();
  ChildOutput output;
  const ReadEnd read = read_until(until, out.get(), command.most_output, output.text);
  if (read == ReadEnd::too_long)
    return Error(Errc::unsupported,
                 command.arguments.front() + " prints more than " + std::to_string(command.most_output) + " bytes");
  const auto status = read == ReadEnd::whole ? child.wait_until(until) : std::nullopt;
  if (!status) return failed(command, " did not end within " + std::to_string(command.patience.count()) + " ms");
  if (!WIFEXITED(*status)) return failed(command, " was ended by a signal");
  output.exit_code = WEXITSTATUS(*status);
  return output;
}

int become_program(const std::vector<std::string>& words) {
  const std::vector<char*> argv = pointers(words);
  ::execvp(argv.front(), argv.data());
  return errno;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,=";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace memd

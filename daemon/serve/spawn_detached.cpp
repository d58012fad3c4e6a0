#include "daemon/serve/spawn_detached.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

extern char** environ;

namespace memd {
namespace {

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
#if defined(__linux__) && defined(CLOSE_RANGE_CLOEXEC)
  if (::close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
#endif
  const long limit = ::sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < limit && fd < 65536; ++fd)
    ::close(fd);
}

// In the grandchild.
[[noreturn]] void become(const DetachedProcess& p, char* const* argv, char* const* env) {
  ::setsid();
  ::umask(077);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Lifted above the targets first, so that no dup2 below overwrites one that is still needed.
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

}  // namespace

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

}  // namespace memd

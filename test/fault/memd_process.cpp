#include "test/fault/memd_process.hpp"

#include "test/support/transcript_home.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <utility>

namespace memd::test {

std::filesystem::path memd_program() {
  const char* set = std::getenv("MEMD_BINARY");
  return set != nullptr ? set : MEMD_PROGRAM;
}

CallFailuresFile::CallFailuresFile(std::filesystem::path file, const std::filesystem::path& data,
                                   const std::filesystem::path& home)
    : path_(std::move(file)) {
  const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, sizeof(CallFailures)) != 0) throw std::runtime_error("no file for failures");
  void* at = ::mmap(nullptr, sizeof(CallFailures), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (at == MAP_FAILED) throw std::runtime_error("no map of failures");
  failures_ = new (at) CallFailures{};
  std::snprintf(failures_->below[0].data(), failures_->below[0].size(), "%s", data.c_str());
  std::snprintf(failures_->below[1].data(), failures_->below[1].size(), "%s", home.c_str());
}

CallFailuresFile::~CallFailuresFile() { ::munmap(failures_, sizeof(CallFailures)); }

MemdProcess::MemdProcess(const std::vector<std::string>& arguments, std::filesystem::path said_to,
                         const std::filesystem::path& failures, ProcessEnds ends)
    : said_to_(std::move(said_to)) {
  const std::string program = memd_program();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ == 0) {
    const int in = ends.in >= 0 ? ends.in : ::open("/dev/null", O_RDONLY);
    const int said = ::open(said_to_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(in, STDIN_FILENO);
    ::dup2(ends.out >= 0 ? ends.out : said, STDOUT_FILENO);
    ::dup2(said, STDERR_FILENO);
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "NOTIFY_SOCKET"})
      ::unsetenv(name);
    if (!failures.empty()) {
      ::setenv("LD_PRELOAD", MEMD_FAILING_CALLS, 1);
      ::setenv(kCallFailuresVariable, failures.c_str(), 1);
      // The preloaded library comes before that of AddressSanitizer; they do not interfere.
      ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
    }
    ::signal(SIGPIPE, SIG_DFL);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  handle_ = static_cast<int>(::syscall(SYS_pidfd_open, process_, 0));
}

MemdProcess::~MemdProcess() {
  signal(SIGKILL);
  (void)wait(std::chrono::seconds(60));
  if (handle_ >= 0) ::close(handle_);
}

bool MemdProcess::is_over() {
  int status = 0;
  if (!status_ && ::waitpid(process_, &status, WNOHANG) == process_) status_ = status;
  return status_.has_value();
}

void MemdProcess::signal(int number) {
  if (!is_over()) ::kill(process_, number);
}

std::optional<Ending> MemdProcess::wait(std::chrono::milliseconds deadline) {
  if (!is_over()) {
    pollfd ended{handle_, POLLIN, 0};
    (void)::poll(&ended, 1, static_cast<int>(deadline.count()));
    if (!is_over()) return std::nullopt;
  }
  Ending out;
  out.signal = WIFSIGNALED(*status_) ? WTERMSIG(*status_) : 0;
  out.code = WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 0;
  out.said = bytes_of(said_to_);
  return out;
}

}  // namespace memd::test

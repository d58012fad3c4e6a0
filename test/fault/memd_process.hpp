#pragma once

#include "test/fault/preload/call_failures.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memd::test {

// Returns the program under test: $MEMD_BINARY, else that of this build.
std::filesystem::path memd_program();

// A file with CallFailures, mapped into memory.
class CallFailuresFile {
 public:
  // Calls on files count only below `data` and `home`.
  CallFailuresFile(std::filesystem::path file, const std::filesystem::path& data, const std::filesystem::path& home);
  ~CallFailuresFile();
  CallFailuresFile(const CallFailuresFile&) = delete;

  CallFailures& operator*() { return *failures_; }
  CallFailures* operator->() { return failures_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
  CallFailures* failures_ = nullptr;
};

// The end of a process.
struct Ending {
  int signal = 0;  // 0: it exited by itself
  int code = 0;
  std::string said;  // output on stdout and stderr
};

// Descriptors for a process's stdin and stdout; -1: /dev/null, and the file of what it says. Borrowed.
struct ProcessEnds {
  int in = -1;
  int out = -1;
};

// A memd process, without stdin unless it gets one. It inherits this environment, except the directories of a desktop
// session. The destructor kills it if it still runs. Single-threaded.
class MemdProcess {
 public:
  // `failures`: the file of CallFailures; if empty, no call fails.
  MemdProcess(const std::vector<std::string>& arguments, std::filesystem::path said_to,
              const std::filesystem::path& failures = {}, ProcessEnds ends = {});
  ~MemdProcess();
  MemdProcess(const MemdProcess&) = delete;

  pid_t id() const { return process_; }
  bool is_over();  // polls once, without waiting
  void signal(int number);
  std::optional<Ending> wait(std::chrono::milliseconds deadline);  // nullopt if it still runs at the deadline

 private:
  const std::filesystem::path said_to_;
  pid_t process_ = -1;
  int handle_ = -1;
  std::optional<int> status_;
};

}  // namespace memd::test

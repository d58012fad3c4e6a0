#pragma once

#include "test/fault/preload/call_failures.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memd::test {

// The program that is attacked: $MEMD_BINARY, else that of this build.
std::filesystem::path memd_program();

// A file for CallFailures, mapped.
class CallFailuresFile {
 public:
  // Calls on files count below these directories.
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

// How a process ended.
struct Ending {
  int signal = 0;  // 0: it ended by itself
  int code = 0;
  std::string said;  // on stdout and stderr
};

// A memd of its own, with nothing on stdin. Its environment is this one's, without a desktop session's directories. It
// is killed with this object, if it still runs. One thread.
class MemdProcess {
 public:
  // `failures`: the file of CallFailures; empty: nothing fails.
  MemdProcess(const std::vector<std::string>& arguments, std::filesystem::path said_to,
              const std::filesystem::path& failures = {});
  ~MemdProcess();
  MemdProcess(const MemdProcess&) = delete;

  pid_t id() const { return process_; }
  bool is_over();  // looks once
  void signal(int number);
  std::optional<Ending> wait(std::chrono::milliseconds deadline);  // nullopt: it still runs

 private:
  const std::filesystem::path said_to_;
  pid_t process_ = -1;
  int handle_ = -1;
  std::optional<int> status_;
};

}  // namespace memd::test

#pragma once

#include "protocol/transport/byte_stream.hpp"
#include "schemas/error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace memd {

// Creates the directory (0700, parents too) when it is missing, opens it, and checks what was opened: it has to belong
// to this user, and nobody else may write to it. Errc::permission otherwise. Parents are not checked: in a user
// namespace they may appear owned by nobody.
Result<UniqueFd> open_state_directory(const std::filesystem::path& path);

// Whether this process may not write there: a file system that is mounted read-only, or a directory of another user.
// False when there is no such directory.
bool is_read_only(const std::filesystem::path& data_dir);

// The lock that makes a daemon the only one of its data directory: flock on memd.pid, held for life. It belongs to the
// open file description, so a process that takes it can hand it to the daemon it starts (inherited_lock_fd); the
// kernel drops it when the last holder dies, so a stale file blocks nobody. The file is never removed. Owns the open
// file. One thread at a time.
class InstanceLock {
 public:
  struct Attempt;

  // Does not wait. Takes over a lock handed down by the process that started this one.
  static Result<Attempt> attempt(const std::filesystem::path& data_dir);

  // Takes nothing and makes nothing: what the file says of its holder, who may be gone.
  static Attempt look(const std::filesystem::path& data_dir);

  // Writes the holder's pid (this process), its socket and the version of memd into the file, for people, for clients
  // that cannot guess the path and for those that are newer.
  Result<void> publish(const std::filesystem::path& socket) const;

  int fd() const { return fd_.get(); }

 private:
  InstanceLock(UniqueFd fd, std::filesystem::path file) : fd_(std::move(fd)), file_(std::move(file)) {}

  UniqueFd fd_;
  std::filesystem::path file_;
};

struct InstanceLock::Attempt {
  std::optional<InstanceLock> lock;  // ours now; else:
  pid_t holder = 0;                  // who has it, 0 when it does not say
  std::filesystem::path socket;      // and where it listens, empty when it does not say
  std::string version;               // likewise: holders before 0.2.0 do not say
};

// The environment variable that names an inherited descriptor holding the lock.
inline constexpr const char* kLockFdVariable = "MEMD_LOCK_FD";

}  // namespace memd

#pragma once

#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/result.hpp"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

// Creates the directory (0700, parents too) if it is missing, opens it and verifies the opened one: it must belong to
// this user, and nobody else may have write permission. Otherwise Errc::permission. Parents are not checked, because in
// a user namespace they may appear owned by nobody.
Result<UniqueFd> open_state_directory(const std::filesystem::path& path);

// Whether this process cannot write to the directory: the file system is mounted read-only, or the directory belongs to
// another user. False when there is no such directory.
bool is_read_only(const std::filesystem::path& data_dir);

// The name under which `memd --stdio --standalone` holds the lock.
inline constexpr std::string_view kStandalone = "memd --stdio --standalone";

// The lock that makes a daemon the only one of its data directory: flock on memd.pid, held until the process ends. It
// belongs to the open file description, so a process that takes it can hand it to the daemon it starts
// (kLockFdVariable). The kernel releases it when the last holder dies, so a stale file blocks nobody. The file is never
// removed. Owns the open file. One thread at a time.
class InstanceLock {
 public:
  struct Attempt;

  // Tries to lock without waiting. Takes over a lock inherited from the process that started this one.
  static Result<Attempt> attempt(const std::filesystem::path& data_dir);

  // Reads what the file says about its holder, who may be gone. Locks and creates nothing.
  static Attempt look(const std::filesystem::path& data_dir);

  // Returns whether a process holds the lock. Creates nothing.
  static bool is_held(const std::filesystem::path& data_dir);

  // Writes this process's pid, its socket, the version of memd and the command into the file: for users, for clients
  // that cannot derive the path, and for those who wait for the lock. A daemon has a socket, a command a name.
  Result<void> publish(const std::filesystem::path& socket, std::string_view command = {}) const;

  int fd() const { return fd_.get(); }

 private:
  InstanceLock(UniqueFd fd, std::filesystem::path file) : fd_(std::move(fd)), file_(std::move(file)) {}

  UniqueFd fd_;
  std::filesystem::path file_;
};

struct InstanceLock::Attempt {
  std::optional<InstanceLock> lock;  // locked by us; else:
  pid_t holder = 0;                  // pid of the holder; 0: the file does not say
  std::filesystem::path socket;      // the holder's socket; empty: the file does not say
  std::string version;               // likewise; holders before 0.2.0 do not write it
  std::string command;               // "memd forget"; empty: a daemon, or the file does not say

  // Whether the holder is no daemon, but a command or the server of a single client (kStandalone).
  bool is_command() const { return !lock && holder > 0 && socket.empty(); }
  // Whether the holder is a command that ends with its work. The server of a single client ends with its client only.
  bool ends_by_itself() const { return is_command() && command != kStandalone; }
  // Returns "`memd forget` (process 4711)", for messages.
  std::string who() const;
  // Says that a command holds the store, and what ends it. Errc::store_busy.
  Error busy() const;
};

// The environment variable that names an inherited descriptor holding the lock.
inline constexpr const char* kLockFdVariable = "MEMD_LOCK_FD";

}  // namespace memd

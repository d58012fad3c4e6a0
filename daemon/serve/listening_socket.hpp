#pragma once

#include "daemon/serve/instance_lock.hpp"
#include "schemas/base/result.hpp"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace memd {

// A listening Unix stream socket, close-on-exec. Either our own, whose file is removed by the destructor, or one passed
// by systemd or launchd, whose file stays.
class ListeningSocket {
 public:
  // Returns the socket of LISTEN_FDS meant for this process (the one named "memd", else the first), or that of launchd.
  // Nothing when there is none; an error when the descriptor is not a listening Unix stream socket with a file. Clears
  // the variables.
  static Result<std::optional<ListeningSocket>> adopt();

  // Creates a socket at `path`, 0600, in a directory that only this user can access. Holding the lock permits the
  // removal of a stale socket; any other file at the path is refused and left alone. Changes the umask for a moment, so
  // call it while single-threaded. Destroy the socket before the lock.
  static Result<ListeningSocket> create(const std::filesystem::path& path, const InstanceLock& lock);

  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;

  // Returns a duplicate descriptor for mcp::Server::listen, which closes it. While no descriptor is accepted on,
  // connections wait in the backlog.
  Result<int> duplicate() const;
  int fd() const { return fd_.get(); }
  bool adopted() const { return !removes_; }
  const std::filesystem::path& path() const { return path_; }  // the path that clients connect to

 private:
  ListeningSocket(UniqueFd fd, std::filesystem::path path) : fd_(std::move(fd)), path_(std::move(path)) {}

  UniqueFd fd_;
  std::filesystem::path path_;
  bool removes_ = false;  // the file is ours and has these two numbers
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace memd

#pragma once

#include "daemon/serve/instance_lock.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace memd {

// A Unix stream socket that listens, close-on-exec: either our own, removed from the file system with this object, or
// one handed over by systemd, which stays.
class ListeningSocket {
 public:
  // The socket of LISTEN_FDS meant for this process (the one named "memd", else the first), or that of launchd. Nothing
  // when there is none; an error when what was handed over is not a listening Unix stream socket with a file. Clears
  // the variables.
  static Result<std::optional<ListeningSocket>> adopt();

  // Makes one at `path`, 0600, in a directory that is ours alone. The lock is the permission to remove a stale socket;
  // what is not a socket is left alone and refused. Changes the umask for a moment: call it while single-threaded.
  // Destroy it before the lock.
  static Result<ListeningSocket> create(const std::filesystem::path& path, const InstanceLock& lock);

  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;

  // Another descriptor of it, for mcp::Server::listen, which closes it. Who connects while none is listened on waits.
  Result<int> duplicate() const;
  int fd() const { return fd_.get(); }
  bool adopted() const { return !removes_; }
  const std::filesystem::path& path() const { return path_; }  // where clients find it

 private:
  ListeningSocket(UniqueFd fd, std::filesystem::path path) : fd_(std::move(fd)), path_(std::move(path)) {}

  UniqueFd fd_;
  std::filesystem::path path_;
  bool removes_ = false;  // the file is ours, that of these two numbers
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace memd

#pragma once

#include "schemas/error.hpp"
#include "schemas/unique_fd.hpp"

#include <boost/system/error_code.hpp>

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace boost::asio {
class io_context;
}

namespace memd::transport {

// Bytes in and out of the event loop: a socket, or a pair of descriptors. Loop thread, at most one read and one write
// at a time. Never raises SIGPIPE. Callbacks come from the loop, never from inside the call that asked. Destroy it only
// when no operation is pending, or when the loop runs no more.
class ByteStream {
 public:
  using Done = std::function<void(boost::system::error_code, std::size_t)>;

  virtual ~ByteStream() = default;
  virtual void async_read(std::span<char> into, Done done) = 0;     // some; 0 bytes: the end of input
  virtual void async_write(std::string_view bytes, Done done) = 0;  // all of them
  virtual void post(std::function<void()> f) = 0;                   // runs f from the loop
  // After the end of input: calls `done` without an error when the peer has gone, and not only stopped sending. false:
  // this kind of stream cannot know, and never calls `done`.
  virtual bool async_wait_hangup(Done) { return false; }
  // The peer sees the end of what we send; reading goes on. Only a socket can.
  virtual void shutdown_write() {}
  // Pending operations end with operation_aborted.
  virtual void close() = 0;
};

// A stream that reads one descriptor and writes another: stdin and stdout. Both are borrowed and stay open. The loop
// drives pipes, sockets and terminals and sets O_NONBLOCK on their open file description, which others may share:
// the flags are restored when the stream is closed or destroyed. Regular files and /dev/null, which epoll refuses and
// which never make one wait, are read and written directly. Ignores SIGPIPE for the whole process.
std::unique_ptr<ByteStream> make_descriptor_stream(boost::asio::io_context& loop, int in_fd, int out_fd);

// Takes over a connected Unix stream socket; it is closed with the stream.
std::unique_ptr<ByteStream> make_socket_stream(boost::asio::io_context& loop, int fd);

// Connects at once (a Unix socket does not make one wait); the descriptor is blocking and close-on-exec. The error
// keeps errno: boost::system::errc names.
Result<UniqueFd> connect_unix(const std::string& path);

// The user and the process at the other end of a connected socket; of who listens, those who began to.
struct SocketPeer {
  uid_t user = 0;
  pid_t process = 0;  // 0: of another pid namespace
};
Result<SocketPeer> socket_peer(int fd);

// permission unless the process at the other end of the socket runs as the same user as this one.
Result<void> require_same_user(int fd);

}  // namespace memd::transport

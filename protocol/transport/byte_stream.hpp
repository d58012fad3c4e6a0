#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/unique_fd.hpp"

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

// A byte stream on the event loop: a socket, or a pair of descriptors. Loop thread, at most one read and one write
// at a time. Never raises SIGPIPE. Callbacks come from the loop, never from inside the call that asked. Destroy it only
// when no operation is pending, or when the loop runs no more.
class ByteStream {
 public:
  using Done = std::function<void(boost::system::error_code, std::size_t)>;

  virtual ~ByteStream() = default;
  virtual void async_read(std::span<char> into, Done done) = 0;     // at least one byte; 0 bytes: the end of input
  virtual void async_write(std::string_view bytes, Done done) = 0;  // all of them
  virtual void post(std::function<void()> f) = 0;                   // runs f from the loop
  // Call it after the end of input. Calls `done` without an error when the peer has closed both directions, not only
  // its own output. Returns false if this kind of stream cannot detect that; then it never calls `done`.
  virtual bool async_wait_hangup(Done) { return false; }
  // Signals the end of output to the peer; reading continues. Does nothing for streams other than sockets.
  virtual void shutdown_write() {}
  // Pending operations end with operation_aborted.
  virtual void close() = 0;
};

// A stream that reads one descriptor and writes another: stdin and stdout. Both are borrowed and stay open. The loop
// drives pipes, sockets and terminals and sets O_NONBLOCK on their open file description, which others may share:
// the flags are restored when the stream is closed or destroyed. Regular files and /dev/null, which epoll refuses and
// which never block, are read and written directly. Ignores SIGPIPE for the whole process.
std::unique_ptr<ByteStream> make_descriptor_stream(boost::asio::io_context& loop, int in_fd, int out_fd);

// Takes over a connected Unix stream socket; it is closed with the stream.
std::unique_ptr<ByteStream> make_socket_stream(boost::asio::io_context& loop, int fd);

// Makes a socket that is closed on exec. Empty: errno says why.
UniqueFd unix_socket();
// Connects synchronously. The descriptor is blocking and close-on-exec. The error keeps errno, to be compared with
// boost::system::errc.
Result<UniqueFd> connect_unix(const std::string& path);

// The user and the process at the other end of a connected socket. For a listener, those that called listen().
struct SocketPeer {
  uid_t user = 0;
  pid_t process = 0;  // 0: of another pid namespace
};
Result<SocketPeer> socket_peer(int fd);

// Fails with Errc::permission unless the process at the other end of the socket runs as the same user as this one.
Result<void> require_same_user(int fd);

}  // namespace memd::transport

#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/error.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

namespace memd::transport {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

error_code last_error() { return {errno, boost::system::system_category()}; }

bool can_be_waited_for(int fd) {
  struct stat st {};
  if (::fstat(fd, &st) != 0) return false;
  return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || ::isatty(fd) == 1;
}

// A borrowed descriptor for one direction. Restores its file status flags when it is closed.
class Descriptor {
 public:
  Descriptor(asio::io_context& loop, int fd) : fd_(fd), flags_(::fcntl(fd, F_GETFL)) {
    if (!can_be_waited_for(fd)) return;
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);  // asio closes what it is given
    if (copy < 0) return;
    waited_.emplace(loop, copy);
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  asio::posix::stream_descriptor* waited() { return waited_ ? &*waited_ : nullptr; }
  int fd() const { return fd_; }
  void close() {
    if (closed_) return;
    closed_ = true;
    error_code ignored;
    if (waited_) waited_->close(ignored);
    if (flags_ >= 0) ::fcntl(fd_, F_SETFL, flags_);
  }
  bool closed() const { return closed_; }

 private:
  const int fd_;
  const int flags_;
  std::optional<asio::posix::stream_descriptor> waited_;
  bool closed_ = false;
};

class DescriptorStream final : public ByteStream {
 public:
  DescriptorStream(asio::io_context& loop, int in_fd, int out_fd) : loop_(loop), in_(loop, in_fd), out_(loop, out_fd) {}

  void async_read(std::span<char> into, Done done) override {
    if (auto* waited = in_.waited()) {
      waited->async_read_some(asio::buffer(into.data(), into.size()),
                              [done = std::move(done)](error_code ec, std::size_t n) {
                                if (ec == asio::error::eof) return done({}, 0);
                                done(ec, n);
                              });
      return;
    }
    asio::post(loop_, [this, into, done = std::move(done)] {
      if (in_.closed()) return done(asio::error::operation_aborted, 0);
      ssize_t n = 0;
      do {
        n = ::read(in_.fd(), into.data(), into.size());
      } while (n < 0 && errno == EINTR);
      // A closed stdin counts as end of file.
      if (n < 0) return done(errno == EBADF ? error_code() : last_error(), 0);
      done({}, static_cast<std::size_t>(n));
    });
  }
  void async_write(std::string_view bytes, Done done) override {
    if (auto* waited = out_.waited()) {
      asio::async_write(*waited, asio::buffer(bytes.data(), bytes.size()), std::move(done));
      return;
    }
    asio::post(loop_, [this, bytes, done = std::move(done)] {
      if (out_.closed()) return done(asio::error::operation_aborted, 0);
      std::size_t written = 0;
      while (written < bytes.size()) {
        const ssize_t n = ::write(out_.fd(), bytes.data() + written, bytes.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return done(last_error(), written);
        written += static_cast<std::size_t>(n);
      }
      done({}, written);
    });
  }
  void post(std::function<void()> f) override { asio::post(loop_, std::move(f)); }
  void close() override {
    in_.close();
    out_.close();
  }

 private:
  asio::io_context& loop_;
  Descriptor in_;
  Descriptor out_;
};

class SocketStream final : public ByteStream {
 public:
  SocketStream(asio::io_context& loop, int fd) : socket_(loop, asio::local::stream_protocol(), fd) {}

  void async_read(std::span<char> into, Done done) override {
    socket_.async_read_some(asio::buffer(into.data(), into.size()),
                            [done = std::move(done)](boost::system::error_code ec, std::size_t n) {
                              if (ec == asio::error::eof) return done({}, 0);
                              done(ec, n);
                            });
  }
  void async_write(std::string_view bytes, Done done) override {
    asio::async_write(socket_, asio::buffer(bytes.data(), bytes.size()), std::move(done));
  }
  void post(std::function<void()> f) override { asio::post(socket_.get_executor(), std::move(f)); }
  bool async_wait_hangup(Done done) override {
    // Reported when both directions are shut, not when the peer has only ended its own.
    socket_.async_wait(asio::socket_base::wait_error,
                       [done = std::move(done)](boost::system::error_code ec) { done(ec, 0); });
    return true;
  }
  void shutdown_write() override {
    boost::system::error_code ignored;
    socket_.shutdown(asio::local::stream_protocol::socket::shutdown_send, ignored);
  }
  void close() override {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

 private:
  asio::local::stream_protocol::socket socket_;
};

}  // namespace

std::unique_ptr<ByteStream> make_descriptor_stream(asio::io_context& loop, int in_fd, int out_fd) {
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_unique<DescriptorStream>(loop, in_fd, out_fd);
}

std::unique_ptr<ByteStream> make_socket_stream(asio::io_context& loop, int fd) {
  return std::make_unique<SocketStream>(loop, fd);
}

UniqueFd unix_socket() {
#ifdef SOCK_CLOEXEC
  return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
#else
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  if (fd) ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
  return fd;
#endif
}

Result<UniqueFd> connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Error(Errc::invalid_argument, "socket path is too long: " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd fd = unix_socket();
  const auto failed = [&](std::string_view call) {
    return Error(boost::system::error_code(errno, boost::system::generic_category()),
                 std::string(call).append(" ").append(path));
  };
  if (!fd) return failed("socket");
  int rc = 0;
  do {
    rc = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0) return failed("connect");
  return fd;
}

Result<SocketPeer> socket_peer(int fd) {
#if defined(__linux__)
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return Error::from_errno(errno, "getsockopt SO_PEERCRED", {});
  return SocketPeer{credentials.uid, credentials.pid};
#else
  SocketPeer peer;
  gid_t group = 0;
  if (::getpeereid(fd, &peer.user, &group) != 0) return Error::from_errno(errno, "getpeereid", {});
  socklen_t size = sizeof peer.process;
  if (::getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, &peer.process, &size) != 0)
    return Error::from_errno(errno, "getsockopt LOCAL_PEERPID", {});
  return peer;
#endif
}

Result<void> require_same_user(int fd) {
  MEMD_TRY_ASSIGN(const SocketPeer peer, socket_peer(fd));
  if (peer.user != ::geteuid())
    return Error(Errc::permission, "the peer runs as user " + std::to_string(peer.user) + ", not as this one");
  return {};
}

}  // namespace memd::transport

#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>

namespace memd::test {

// A blocking client on a socket or a pair of pipes that sends and reads whole lines. Owns its file descriptors.
class LineClient {
 public:
  explicit LineClient(int fd) : in_(fd), out_(fd) {}
  LineClient(int in_fd, int out_fd) : in_(in_fd), out_(out_fd) {}
  ~LineClient() {
    close_write();
    if (in_ >= 0) ::close(in_);
  }
  LineClient(LineClient&& other) noexcept : in_(other.in_), out_(other.out_), pending_(std::move(other.pending_)) {
    other.in_ = other.out_ = -1;
  }
  LineClient(const LineClient&) = delete;

  bool send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = in_ == out_ ? ::send(out_, bytes.data(), bytes.size(), MSG_NOSIGNAL)
                                    : ::write(out_, bytes.data(), bytes.size());
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  bool send_line(std::string line) { return send_bytes(line += '\n'); }
  // Returns nullopt at the end of the stream, or after ten seconds without data.
  std::optional<std::string> read_line() {
    for (;;) {
      if (const auto end = pending_.find('\n'); end != std::string::npos) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      pollfd p{in_, POLLIN, 0};
      if (::poll(&p, 1, 10'000) <= 0) return std::nullopt;
      char buffer[65536];
      const ssize_t n = ::read(in_, buffer, sizeof buffer);
      if (n <= 0) return std::nullopt;
      pending_.append(buffer, static_cast<std::size_t>(n));
    }
  }
  // Ends the output; the input stays open.
  void close_write() {
    if (out_ < 0) return;
    if (in_ == out_)
      ::shutdown(out_, SHUT_WR);
    else
      ::close(out_);
    out_ = -1;
  }

 private:
  int in_;
  int out_;
  std::string pending_;
};

}  // namespace memd::test

#pragma once

#include "schemas/base/unique_fd.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace memd::test {

// The network between clients and a server, both on Unix sockets: passes bytes on, slowly or not at all. Members are
// thread-safe.
class SocketProxy {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  SocketProxy(const std::filesystem::path& socket, std::filesystem::path server)
      : server_(std::move(server)), listening_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_un at = address(socket);
    EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::listen(listening_.get(), 64), 0);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested())
        round();
    });
  }

  // Bytes that pass in each direction in a hundredth of a second. 0: connections stand, and are silent.
  void set_pace(std::size_t bytes) { pace_ = bytes; }
  // Ends all connections, and each new one, until mend().
  void cut() { left_ = 0; }
  // Cuts when so many more bytes have gone to the server.
  void cut_after(std::size_t bytes) { left_ = bytes; }
  void mend() { left_ = kAll; }
  // Waits until a connection has been ended or refused after cuts() was `before`.
  void wait_for_cut(int before) const { cuts_.wait(before); }
  // How often a connection was ended or refused.
  int cuts() const { return cuts_; }

 private:
  struct Line {
    UniqueFd client;
    UniqueFd server;
    bool has_ended = false;
  };

  static sockaddr_un address(const std::filesystem::path& socket) {
    sockaddr_un out{};
    out.sun_family = AF_UNIX;
    EXPECT_LT(socket.native().size(), sizeof out.sun_path);
    std::copy(socket.native().begin(), socket.native().end(), out.sun_path);
    return out;
  }

  void accept() {
    UniqueFd client(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un at = address(server_);
    if (client && ::connect(server.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0)
      lines_.push_back({std::move(client), std::move(server)});
  }

  // Passes some bytes on.
  void pass(Line& line, bool is_from_client, std::size_t pace) {
    const int from = (is_from_client ? line.client : line.server).get();
    const int to = (is_from_client ? line.server : line.client).get();
    std::array<char, 65536> buffer{};
    const std::size_t most = std::min({buffer.size(), pace, is_from_client ? left_.load() : kAll});
    const ssize_t n = ::recv(from, buffer.data(), most, 0);
    for (ssize_t sent = 0; sent < n;) {
      const ssize_t more = ::send(to, buffer.data() + sent, static_cast<std::size_t>(n - sent), MSG_NOSIGNAL);
      if (more <= 0) break;
      sent += more;
    }
    line.has_ended = n <= 0;
    if (is_from_client && left_ != kAll)
      left_ -= std::min(left_.load(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }

  void round() {
    constexpr int kTick = 10;  // ms
    std::vector<pollfd> waiting{{listening_.get(), POLLIN, 0}};
    const std::size_t pace = pace_;
    const bool is_silent = pace == 0;
    for (const Line& line : lines_)
      for (const int fd : {line.client.get(), line.server.get()})
        waiting.push_back({fd, static_cast<short>(is_silent ? 0 : POLLIN), 0});
    (void)::poll(waiting.data(), is_silent ? 1 : waiting.size(), kTick);
    auto ready = waiting.begin() + 1;
    for (Line& line : lines_) {
      for (const bool is_from_client : {true, false})
        if (!is_silent && (ready++)->revents != 0 && left_ != 0 && !line.has_ended) pass(line, is_from_client, pace);
    }
    if (waiting.front().revents != 0) accept();
    lines_.remove_if([](const Line& line) { return line.has_ended; });
    if (left_ == 0) {
      cuts_ += static_cast<int>(lines_.size());
      cuts_.notify_all();
      lines_.clear();
    }
    if (pace != kAll) (void)::poll(nullptr, 0, kTick);
  }

  const std::filesystem::path server_;
  const UniqueFd listening_;
  std::atomic<std::size_t> pace_{kAll};
  std::atomic<std::size_t> left_{kAll};
  std::atomic<int> cuts_{0};
  std::list<Line> lines_;  // of the thread
  std::jthread thread_;    // last: it uses the members above
};

}  // namespace memd::test

#pragma once

#include "daemon/serve/stdio_pump.hpp"
#include "schemas/base/result.hpp"
#include "test/support/line_client.hpp"

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace memd::test {

inline constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25"}})";
inline constexpr const char* kInitializeAnswer = R"({"jsonrpc":"2.0","id":"init","result":{"n":1}})";
inline constexpr const char* kInitialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
inline constexpr const char* kListen =
    R"({"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{"notifications":{}}})";
inline constexpr const char* kAck =
    R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",)"
    R"("params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}})";

inline constexpr const char* kResumingOne =
    R"({"jsonrpc":"2.0","method":"notifications/memd/resuming","params":{"subscriptions":1}})";

inline std::string request(int id) { return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"m"})"; }
inline std::string answer(int id) { return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})"; }

// A dial that succeeds once for each call to accept().
class ScriptedDial final : public DaemonDial {
 public:
  void begin() override {
    const std::lock_guard lock(mutex_);
    ++series_;
  }
  Result<std::optional<UniqueFd>> attempt() override {
    const std::lock_guard lock(mutex_);
    if (broken_) return Error::from_errno(ENOSPC, "start", "memd");
    if (ready_.empty()) return std::optional<UniqueFd>();
    UniqueFd fd(ready_.front());
    ready_.pop_front();
    return std::optional<UniqueFd>(std::move(fd));
  }
  std::chrono::milliseconds next_wait() override { return std::chrono::milliseconds(1); }

  LineClient accept() {
    int pair[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    const std::lock_guard lock(mutex_);
    ready_.push_back(pair[0]);
    return LineClient(pair[1]);
  }
  void set_broken(bool on) {
    const std::lock_guard lock(mutex_);
    broken_ = on;
  }
  int series() {
    const std::lock_guard lock(mutex_);
    return series_;
  }

 private:
  std::mutex mutex_;
  std::deque<int> ready_;
  bool broken_ = false;
  int series_ = 0;
};

// Runs the pump on its own thread, between a scripted daemon on socket pairs and a client on pipes.
class StdioPumpTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe2(in_, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(out_, O_CLOEXEC), 0);
    client.emplace(out_[0], in_[1]);
  }
  void TearDown() override {
    if (thread_.joinable()) {
      boost::asio::post(loop, [this] { pump->stop(); });
      thread_.join();
    }
    ::close(in_[0]);
    ::close(out_[1]);
  }
  void start(std::chrono::milliseconds drain = std::chrono::seconds(10)) {
    pump.emplace(loop, dial, StdioPump::Options{in_[0], out_[1], drain, silence, directory});
    pump->start([this] { finished = true; });
    thread_ = std::thread([this] { loop.run(); });
  }
  void join() {
    thread_.join();
    EXPECT_TRUE(finished);
  }
  // Sends a request through the pump and its answer back. Everything sent before has then been handled.
  void round_trip(LineClient& daemon, int id) {
    client->send_line(request(id));
    EXPECT_EQ(daemon.read_line(), request(id));
    daemon.send_line(answer(id));
    EXPECT_EQ(client->read_line(), answer(id));
  }
  void shake_hands(LineClient& daemon) {
    client->send_line(kInitialize);
    EXPECT_EQ(daemon.read_line(), kInitialize);
    daemon.send_line(kInitializeAnswer);
    EXPECT_EQ(client->read_line(), kInitializeAnswer);
    client->send_line(kInitialized);
    EXPECT_EQ(daemon.read_line(), kInitialized);
  }

  std::chrono::milliseconds silence = std::chrono::seconds(30);
  std::string directory;
  boost::asio::io_context loop{1};
  ScriptedDial dial;
  std::optional<StdioPump> pump;
  std::optional<LineClient> client;
  bool finished = false;

 private:
  int in_[2];
  int out_[2];
  std::thread thread_;
};

}  // namespace memd::test

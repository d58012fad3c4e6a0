#include "schemas/base/error.hpp"
#include "test/protocol/server_fixture.hpp"

#include <latch>
#include <vector>

// Uses real sockets, a loop thread and a pool.
namespace memd::test {
namespace {

TEST_F(ServerTest, ManyClientsOverASocket) {
  start_listening();
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c)
    clients.emplace_back([this] {
      LineClient client = connect_legacy();
      for (int i = 1; i <= 200; ++i)
        ASSERT_TRUE(client.send_line(call(i, i % 2 ? "echo" : "quick", R"({"text":"x"})")));
      std::vector<bool> seen(201);
      for (int i = 1; i <= 200; ++i) {
        const auto id = id_of(client.read_line());
        ASSERT_GE(id, 1);
        EXPECT_FALSE(seen[static_cast<std::size_t>(id)]);
        seen[static_cast<std::size_t>(id)] = true;
      }
    });
  for (auto& c : clients)
    c.join();
}

TEST_F(ServerTest, ASlowCallDoesNotDelayAFastOne) {
  std::latch release(1);
  registry.add<Nothing, EchoResult>(sample_info("slow"), [&](const Nothing&, mcp::ToolContext&) {
    release.wait();
    return Result<EchoResult>(EchoResult{"slow"});
  });
  start_listening();
  LineClient client = connect_legacy();
  client.send_line(call(1, "slow"));
  client.send_line(call(2, "echo", R"({"text":"fast"})"));
  EXPECT_EQ(id_of(client.read_line()), 2);
  release.count_down();
  EXPECT_EQ(id_of(client.read_line()), 1);
}

TEST_F(ServerTest, ALargeAnswerArrivesWhole) {
  start_listening();
  LineClient client = connect_legacy();
  client.send_line(call(1, "echo", R"({"text":"0123456789","times":400000})"));
  const auto line = client.read_line();
  ASSERT_TRUE(line);
  EXPECT_EQ(boost::json::parse(*line).at("result").at("structuredContent").at("text").as_string().size(), 4'000'000U);
}

TEST_F(ServerTest, AnOversizedLineIsRefusedAndTheConnectionGoesOn) {
  limits.max_line_bytes = 100'000;
  start_listening();
  LineClient client = connect_legacy();
  client.send_line(std::string(5'000'000, 'x'));
  const auto refusal = client.read_line();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(boost::json::parse(*refusal).at("error").at("code").as_int64(), -32600);
  client.send_line(call(1, "quick", R"({"text":"still here"})"));
  EXPECT_EQ(id_of(client.read_line()), 1);
  client.send_line(call(7, "echo", R"({"text":")" + std::string(5'000'000, 'x') + "\"}"));
  EXPECT_EQ(id_of(client.read_line()), 7) << "its caller does not wait in vain";
}

TEST_F(ServerTest, RequestsBeforeTheEndOfInputAreAnswered) {
  start_listening();
  LineClient client = connect_legacy();
  client.send_line(call(1, "echo", R"({"text":"a"})"));
  client.send_bytes(call(2, "quick", R"({"text":"no newline at the end"})"));
  client.close_write();
  const auto first = id_of(client.read_line());
  const auto second = id_of(client.read_line());
  EXPECT_EQ(first + second, 3);
  EXPECT_FALSE(client.read_line());
}

TEST_F(ServerTest, AHalfLineAtTheEndOfInputIsAParseError) {
  start_listening();
  LineClient client = connect_legacy();
  client.send_bytes(R"({"jsonrpc":"2.0","id":)");
  client.close_write();
  const auto line = client.read_line();
  ASSERT_TRUE(line);
  EXPECT_EQ(boost::json::parse(*line).at("error").at("code").as_int64(), -32700);
  EXPECT_FALSE(client.read_line());
}

// The client shuts down its output first and closes a moment later.
TEST_F(ServerTest, AVanishedClientCancelsItsCalls) {
  std::latch started(1);
  std::latch stopped(1);
  registry.add<Nothing, EchoResult>(sample_info("patient"), [&](const Nothing&, mcp::ToolContext& context) {
    std::latch woken(1);
    const std::stop_callback wake(context.stop, [&] { woken.count_down(); });
    started.count_down();
    woken.wait();
    stopped.count_down();
    return Result<EchoResult>(Error(Errc::cancelled, "cancelled"));
  });
  start();
  std::latch gone(1);
  server->on_session_closed([&](std::size_t left) {
    EXPECT_EQ(left, 0U);
    gone.count_down();
  });
  server->listen(listening_socket());
  run();
  {
    LineClient client = connect_legacy();
    client.send_line(call(1, "patient"));
    started.wait();
  }
  stopped.wait();
  gone.wait();
}

TEST_F(ServerTest, APeerThatDoesNotReadIsCutOff) {
  limits.max_unsent_bytes = 1U << 20;
  std::latch all_running(4);  // no answer is queued before the last request has been read
  registry.add<Nothing, EchoResult>(sample_info("big"), [&](const Nothing&, mcp::ToolContext&) {
    all_running.arrive_and_wait();
    return Result<EchoResult>(EchoResult{std::string(500'000, 'x')});
  });
  start();
  std::latch gone(1);
  server->on_session_closed([&](std::size_t) { gone.count_down(); });
  server->listen(listening_socket());
  run();
  LineClient client = connect_legacy();
  for (int i = 1; i <= 4; ++i)
    client.send_line(call(i, "big"));
  gone.wait();
}

TEST_F(ServerTest, ManyRequestsUnreadAreHeldBackNotDropped) {
  limits.max_unsent_bytes = 1U << 20;
  start_listening();
  LineClient client = connect_legacy();
  constexpr int kRequests = 2000;  // 4 MB of answers before the first one is read
  std::thread writer([&] {
    for (int i = 1; i <= kRequests; ++i)
      ASSERT_TRUE(client.send_line(call(i, "quick", R"({"text":"0123456789","times":100})")));
  });
  for (int i = 1; i <= kRequests; ++i)
    ASSERT_EQ(id_of(client.read_line()), i);
  writer.join();
}

TEST_F(ServerTest, StopAnswersAndCloses) {
  std::latch started(1);
  registry.add<Nothing, EchoResult>(sample_info("patient"), [&](const Nothing&, mcp::ToolContext& context) {
    std::latch woken(1);
    const std::stop_callback wake(context.stop, [&] { woken.count_down(); });
    started.count_down();
    woken.wait();
    return Result<EchoResult>(Error(Errc::cancelled, "cancelled"));
  });
  start_listening();
  LineClient client = connect_legacy();
  client.send_line(call(7, "patient"));
  started.wait();
  stop();
  const auto line = client.read_line();
  ASSERT_TRUE(line);
  EXPECT_EQ(boost::json::parse(*line).at("id").as_int64(), 7);
  EXPECT_EQ(boost::json::parse(*line).at("error").at("code").as_int64(), -32603);
  EXPECT_FALSE(client.read_line());
}

TEST(PeerCredentials, OurselvesAreWelcome) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  EXPECT_TRUE(transport::require_same_user(pair[0]));
  ::close(pair[0]);
  ::close(pair[1]);
  EXPECT_FALSE(transport::require_same_user(-1));
}

}  // namespace
}  // namespace memd::test

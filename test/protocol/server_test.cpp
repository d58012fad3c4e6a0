#include "protocol/mcp/server.hpp"

#include "protocol/transport/stdio_stream.hpp"
#include "protocol/transport/unix_socket.hpp"
#include "test/protocol/session_fixture.hpp"
#include "test/support/line_client.hpp"
#include "test/support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <fcntl.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>
#include <latch>
#include <thread>

// Real sockets, pipes and files, a loop thread and a pool.
namespace memd::test {
namespace {

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";

std::string call(int id, std::string_view tool, std::string_view arguments = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" +
         std::string(tool) + R"(","arguments":)" + std::string(arguments) + "}}";
}

class ServerTest : public testing::Test {
 protected:
  ServerTest() { add_sample_tools(registry); }
  ~ServerTest() override { stop(); }

  int listening_socket() {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd, 64), 0);
    return fd;
  }
  void start() {
    profile.emplace(mcp::ServerIdentity{"memd", "Memory", "0.1.0", ""}, registry, clock, limits);
    server.emplace(
        loop, [this](mcp::Task t) { boost::asio::post(pool, std::move(t)); }, *profile);
  }
  void run() {
    thread = std::thread([this] { loop.run(); });
  }
  void start_listening() {
    start();
    server->listen(listening_socket());
    run();
  }
  // Ends because the loop runs out of work.
  void stop() {
    if (!thread.joinable()) return;
    server->request_stop();
    thread.join();
    EXPECT_EQ(server->session_count(), 0U);
    pool.join();
  }
  LineClient connect() {
    auto fd = transport::connect_unix_fd(socket_path);
    EXPECT_TRUE(fd) << fd.error().message();
    return LineClient(fd ? *fd : -1);
  }
  LineClient connect_legacy() {
    LineClient client = connect();
    client.send_line(kInitialize);
    EXPECT_TRUE(client.read_line());
    return client;
  }
  static std::int64_t id_of(const std::optional<std::string>& line) {
    if (!line) return -1;
    const auto v = parse(*line);
    return v.at("id").is_int64() ? v.at("id").as_int64() : -2;
  }

  TempDirectory directory;
  std::string socket_path = directory.file("s.sock");
  mcp::ServerLimits limits;
  mcp::ToolRegistry registry;
  std::optional<mcp::ServerProfile> profile;
  boost::asio::io_context loop{1};
  boost::asio::thread_pool pool{4};
  std::optional<mcp::Server> server;
  std::thread thread;
  FakeClock clock;
};

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
  EXPECT_EQ(parse(*line).at("result").at("structuredContent").at("text").as_string().size(), 4'000'000U);
}

TEST_F(ServerTest, AnOversizedLineIsRefusedAndTheConnectionGoesOn) {
  limits.max_line_bytes = 100'000;
  start_listening();
  LineClient client = connect_legacy();
  client.send_line(std::string(5'000'000, 'x'));
  const auto refusal = client.read_line();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(parse(*refusal).at("error").at("code").as_int64(), -32600);
  client.send_line(call(1, "quick", R"({"text":"still here"})"));
  EXPECT_EQ(id_of(client.read_line()), 1);
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
  EXPECT_EQ(parse(*line).at("error").at("code").as_int64(), -32700);
  EXPECT_FALSE(client.read_line());
}

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
  std::latch all_running(4);  // so that no answer is queued before the last request has been read
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
  constexpr int kRequests = 2000;  // 4 MB of answers before the first is read
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
  EXPECT_EQ(parse(*line).at("id").as_int64(), 7);
  EXPECT_EQ(parse(*line).at("error").at("code").as_int64(), -32603);
  EXPECT_FALSE(client.read_line());
}

TEST_F(ServerTest, StdioOverPipesRestoresTheFlags) {
  int in[2], out[2];
  ASSERT_EQ(::pipe(in), 0);
  ASSERT_EQ(::pipe(out), 0);
  start();
  server->serve_stdio(in[0], out[1]);
  run();
  LineClient client(out[0], in[1]);
  client.send_line(kInitialize);
  EXPECT_EQ(id_of(client.read_line()), 0);
  client.send_line(call(1, "echo", R"({"text":"a"})"));
  EXPECT_EQ(id_of(client.read_line()), 1);
  client.close_write();
  thread.join();  // the end of input ends the loop by itself
  EXPECT_EQ(::fcntl(in[0], F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::fcntl(out[1], F_GETFL) & O_NONBLOCK, 0);
  ::close(in[0]);
  ::close(out[1]);
}

TEST_F(ServerTest, StdioOverRegularFilesAndDevNull) {
  {
    std::ofstream requests(directory.file("in"));
    requests << kInitialize << "\n" << call(1, "echo", R"({"text":"a"})") << "\n";
    for (int i = 2; i <= 1000; ++i)
      requests << call(i, "quick", R"({"text":"a"})") << "\n";
  }
  const int in = ::open(directory.file("in").c_str(), O_RDONLY);
  const int out = ::open(directory.file("out").c_str(), O_WRONLY | O_CREAT, 0600);
  start();
  server->serve_stdio(in, out);
  run();
  thread.join();
  ::close(in);
  ::close(out);
  std::ifstream answers(directory.file("out"));
  int count = 0;
  for (std::string line; std::getline(answers, line); ++count)
    EXPECT_TRUE(parse(line).is_object());
  EXPECT_EQ(count, 1001);
}

TEST_F(ServerTest, DevNullAsInputEndsAtOnce) {
  const int null = ::open("/dev/null", O_RDWR);
  start();
  server->serve_stdio(null, null);
  run();
  thread.join();
  ::close(null);
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

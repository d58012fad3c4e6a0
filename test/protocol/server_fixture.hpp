#pragma once

#include "protocol/mcp/server.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/line_client.hpp"
#include "test/support/sample_tools.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <sys/un.h>

#include <cstring>
#include <optional>
#include <string>
#include <thread>

namespace memd::test {

inline constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";

inline std::string call(int id, std::string_view tool, std::string_view arguments = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" +
         std::string(tool) + R"(","arguments":)" + std::string(arguments) + "}}";
}

// A server with its loop thread and a pool of four workers.
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
    profile.emplace(mcp::ServerIdentity{"memd", "Memory", "0.1.0", ""}, registry, clock, limits, offers);
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
  // Stops the server. The loop thread ends when the loop has no more work.
  void stop() {
    if (!thread.joinable()) return;
    boost::asio::post(loop, [this] { server->stop(); });
    thread.join();
    EXPECT_EQ(server->session_count(), 0U);
    pool.join();
  }
  LineClient connect() {
    auto fd = transport::connect_unix(socket_path);
    EXPECT_TRUE(fd) << fd.error().message();
    return LineClient(fd ? fd->release() : -1);
  }
  // Starts the server and connects a client with these capabilities, a JSON object.
  LineClient connect_with(std::string_view capabilities) {
    start_listening();
    LineClient client = connect();
    client.send_line(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
                     R"("capabilities":)" +
                     std::string(capabilities) + "}}");
    EXPECT_TRUE(client.read_line());
    return client;
  }
  static boost::json::object read(LineClient& client) {
    const auto line = client.read_line();
    EXPECT_TRUE(line);
    return line ? boost::json::parse(*line).as_object() : boost::json::object();
  }
  LineClient connect_legacy() {
    LineClient client = connect();
    client.send_line(kInitialize);
    EXPECT_TRUE(client.read_line());
    return client;
  }
  static std::int64_t id_of(const std::optional<std::string>& line) {
    if (!line) return -1;
    const auto v = boost::json::parse(*line);
    return v.at("id").is_int64() ? v.at("id").as_int64() : -2;
  }

  TempDir directory;
  std::string socket_path = (directory / "s.sock").string();
  mcp::ServerLimits limits;
  mcp::ToolRegistry registry;
  mcp::Offers offers;
  std::optional<mcp::ServerProfile> profile;
  boost::asio::io_context loop{1};
  boost::asio::thread_pool pool{4};
  std::optional<mcp::Server> server;
  std::thread thread;
  FakeClock clock;
};

}  // namespace memd::test

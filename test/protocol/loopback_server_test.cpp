#include "protocol/transport/loopback_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <future>
#include <string>
#include <string_view>
#include <thread>

namespace memd::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LoopbackServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = LoopbackServer::open(0, [this](const PageRequest& request) { return answer(request); });
    ASSERT_TRUE(opened) << opened.error().message();
    server_ = std::move(*opened);
    here_ = "127.0.0.1:" + std::to_string(server_->port());
    thread_ = std::thread([this] { server_->serve([this] { return !over_; }); });
  }
  void TearDown() override {
    over_ = true;
    connected();  // wakes it, if it has not ended by itself
    thread_.join();
  }

  UniqueFd connected() const {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  // Sends bytes and returns all that comes back until the end.
  std::string say(std::string_view bytes) const {
    const UniqueFd fd = connected();
    while (!bytes.empty()) {
      const auto n = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    ::shutdown(fd.get(), SHUT_WR);
    std::string out;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::recv(fd.get(), buffer.data(), buffer.size(), 0)) > 0;)
      out.append(buffer.data(), static_cast<std::size_t>(n));
    return out;
  }
  std::string get(const std::string& headers, const std::string& path = "/x") const {
    return say("GET " + path + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n");
  }

  std::unique_ptr<LoopbackServer> server_;
  std::string here_;
  std::atomic<int> asked_ = 0;

 private:
  PageResponse answer(const PageRequest& request) {
    ++asked_;
    if (request.path == "/throw") throw std::runtime_error("no luck");
    if (request.path == "/stream")
      return {200, "text/event-stream", "first,", [n = 0]() mutable -> std::optional<std::string> {
                if (++n > 2) return std::nullopt;
                return "more" + std::to_string(n) + ",";
              }};
    return {200, "text/plain",
            request.method + " " + request.path + (request.has_token ? " trusted " : " ") +
                (request.has_ticket ? "first " : "") + request.body};
  }
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST_F(LoopbackServerTest, AnswersItsOwnPages) {
  EXPECT_THAT(get("Host: " + here_ + "\r\n", "/a?b=c"), HasSubstr("\r\n\r\nGET /a "));
  EXPECT_THAT(get("Host: localhost:" + std::to_string(server_->port()) + "\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(get("Host: " + here_ + "\r\nOrigin: http://" + here_ + "\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get("Host: " + here_ + "\r\n", "/throw"), AllOf(StartsWith("HTTP/1.1 500 "), HasSubstr("no luck")));
}

// A name that leads to 127.0.0.1 makes its pages of the same origin as ours, but the browser still tells the name.
TEST_F(LoopbackServerTest, ForeignHostsAreRefused) {
  const std::string port = ":" + std::to_string(server_->port());
  for (const std::string& host : {std::string("evil.example") + port, std::string("127.0.0.1"),
                                  std::string("127.0.0.1:1"), "127.0.0.1.evil" + port, "[::1]" + port, "0.0.0.0" + port,
                                  "127.1" + port, "LOCALHOST." + port, std::string(), here_ + "@evil.example"})
    EXPECT_THAT(get("Host: " + host + "\r\n"), StartsWith("HTTP/1.1 403 ")) << host;
  EXPECT_THAT(get(""), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(say("GET / HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(get("Host: " + here_ + "\r\nHost: evil.example\r\n"), Not(StartsWith("HTTP/1.1 200 ")));
  EXPECT_EQ(asked_, 0);
}

TEST_F(LoopbackServerTest, ForeignOriginsAreRefused) {
  const std::string port = ":" + std::to_string(server_->port());
  for (const std::string& origin : {std::string("http://evil.example"), "http://evil.example" + port,
                                    std::string("null"), "https://" + here_, std::string("http://127.0.0.1"),
                                    "http://localhost" + port, "http://" + here_ + ".evil", "http://" + here_ + "0"})
    EXPECT_THAT(get("Host: " + here_ + "\r\nOrigin: " + origin + "\r\n"), StartsWith("HTTP/1.1 403 ")) << origin;
  EXPECT_EQ(asked_, 0);
}

TEST_F(LoopbackServerTest, TheTokenIsThatOfThisStart) {
  const auto with = [&](const std::string& authorization) {
    return get("Host: " + here_ + "\r\nAuthorization: " + authorization + "\r\n");
  };
  EXPECT_THAT(with("Bearer " + server_->token()), HasSubstr(" trusted "));
  const auto other = LoopbackServer::open(0, [](const PageRequest&) { return PageResponse(); });
  ASSERT_TRUE(other);
  for (const std::string& wrong :
       {"Bearer " + (*other)->token(), server_->token(), "Bearer " + server_->token().substr(1), std::string("Bearer "),
        "Bearer " + server_->token() + "0", "Basic " + server_->token()})
    EXPECT_THAT(with(wrong), AllOf(StartsWith("HTTP/1.1 200 "), Not(HasSubstr(" trusted ")))) << wrong;
}

TEST_F(LoopbackServerTest, TheTicketIsGoodForOneStartPage) {
  const std::string host = "Host: " + here_ + "\r\n";
  const std::string ticket = server_->ticket();
  EXPECT_EQ(ticket.size(), 32u);
  for (const std::string& path :
       {"/x?" + ticket, "/?" + std::string(32, '0'), "/?" + ticket + "0", std::string("/?"), "/?" + server_->token()})
    EXPECT_THAT(get(host, path), Not(HasSubstr("first"))) << path;
  EXPECT_THAT(say("POST /?" + ticket + " HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n"), Not(HasSubstr("first")));
  EXPECT_THAT(get("Host: evil.example\r\n", "/?" + ticket), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(get(host, "/?" + ticket), HasSubstr("GET / first "));
  EXPECT_THAT(get(host, "/?" + ticket), Not(HasSubstr("first")));
}

TEST_F(LoopbackServerTest, RequestsHaveLimits) {
  const std::string host = "Host: " + here_ + "\r\n";
  const std::string huge = std::to_string(LoopbackServer::kMostBody + 1);
  EXPECT_THAT(say("POST /x HTTP/1.1\r\n" + host + "Content-Length: " + huge + "\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(get(host + "X: " + std::string(LoopbackServer::kMostHeader, 'x') + "\r\n"), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(say("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(asked_, 0);
  const std::string body(LoopbackServer::kMostBody, 'b');
  EXPECT_THAT(say("POST /x HTTP/1.1\r\n" + host + "Content-Length: " + std::to_string(body.size()) +
                  "\r\nConnection: close\r\n\r\n" + body),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("bbbb")));
}

TEST_F(LoopbackServerTest, EveryResponseForbidsWhatComesFromElsewhere) {
  for (const std::string& reply : {get("Host: " + here_ + "\r\n"), get("Host: evil.example\r\n")}) {
    EXPECT_THAT(reply, HasSubstr("Content-Security-Policy: default-src 'none'; connect-src 'self';"));
    EXPECT_THAT(reply, HasSubstr("; style-src 'self' ;"));
    EXPECT_THAT(reply, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(reply, HasSubstr("; script-src 'self' \r\n"));
    EXPECT_THAT(reply, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(reply, HasSubstr("\r\nCache-Control: no-store\r\n"));
    EXPECT_THAT(reply, Not(HasSubstr("Access-Control")));
  }
}

TEST_F(LoopbackServerTest, AConnectionCarriesManyRequestsOrOneStream) {
  const std::string host = "Host: " + here_ + "\r\n";
  EXPECT_THAT(say("GET /a HTTP/1.1\r\n" + host + "\r\nGET /b HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n"),
              AllOf(HasSubstr("GET /a "), HasSubstr("GET /b ")));
}

TEST_F(LoopbackServerTest, AStreamGoesOnUntilItsEnd) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server_->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string request = "GET /stream HTTP/1.1\r\nHost: " + here_ + "\r\n\r\n";
  ASSERT_EQ(::send(fd.get(), request.data(), request.size(), 0), std::ssize(request));
  std::string out;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::recv(fd.get(), buffer.data(), buffer.size(), 0)) > 0;)
    out.append(buffer.data(), static_cast<std::size_t>(n));
  EXPECT_THAT(out, testing::EndsWith("\r\n\r\nfirst,more1,more2,"));
  EXPECT_THAT(out, Not(HasSubstr("Content-Length")));
}

TEST(LoopbackServer, APortThatIsTakenIsNamed) {
  const auto first = LoopbackServer::open(0, [](const PageRequest&) { return PageResponse(); });
  ASSERT_TRUE(first);
  const auto second = LoopbackServer::open((*first)->port(), [](const PageRequest&) { return PageResponse(); });
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("127.0.0.1:" + std::to_string((*first)->port())));
}

}  // namespace
}  // namespace memd::http

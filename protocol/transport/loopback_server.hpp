#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/unique_fd.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace memd::http {

// A request that came from a page of this server, or from a program that names it as its host.
struct PageRequest {
  std::string method;
  std::string path;  // without what follows '?'
  std::string content_type;
  std::string accept;
  std::string body;
  bool has_token = false;   // it carries the token of this start: `Authorization: Bearer TOKEN`
  bool has_ticket = false;  // it is the first request with the ticket of this start: `GET /?TICKET`
};

struct PageResponse {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  // Set: after the body come the texts that this returns, until nullopt. An empty one means that there is nothing yet;
  // the function waits a while for it, but for less than a second.
  std::function<std::optional<std::string>()> stream{};
  // The source expressions, as 'sha256-…', of a script and a style within the body; empty: none within it counts.
  std::string script_source{};
  std::string style_source{};
};

// HTTP/1.1 on 127.0.0.1 for the pages of one person. Refuses requests that another host or page could have a browser
// send: a foreign Host or Origin. All responses forbid frames, what comes from elsewhere, and inline code but for that
// of PageResponse. Each connection has a thread, which calls the handler.
class LoopbackServer {
 public:
  using Handler = std::function<PageResponse(const PageRequest&)>;
  static constexpr std::size_t kMostBody = 1 << 20;     // bytes
  static constexpr std::size_t kMostHeader = 16 << 10;  // bytes
  static constexpr std::size_t kMostConnections = 64;

  // `port`: 0 is any. Errc::io: it is taken. Ignores SIGPIPE for the whole process.
  static Result<std::unique_ptr<LoopbackServer>> open(std::uint16_t port, Handler handler);
  ~LoopbackServer();  // ends all connections
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const { return port_; }
  // Random, another one at each start; 64 hexadecimal digits.
  const std::string& token() const { return token_; }
  // Likewise; 32 digits. Good for one request, so that an address in a browser's history opens nothing.
  const std::string& ticket() const { return ticket_; }

  // Serves until `goes_on`, which is asked about once a second, returns false. Any one thread.
  void serve(const std::function<bool()>& goes_on);

 private:
  struct Connection {
    UniqueFd fd;
    std::atomic<bool> is_over = false;
    std::thread thread{};
  };
  LoopbackServer(UniqueFd listening, std::uint16_t port, std::string token, std::string ticket, Handler handler);
  void accept_one();
  void remove_ended();
  void talk(Connection& connection);
  // Returns whether another request may follow.
  bool answer(int fd, const PageRequest& request, bool keep_alive);
  std::optional<PageResponse> refusal(std::string_view host, std::string_view origin) const;
  bool spends_ticket(std::string_view target);

  UniqueFd listening_;
  const std::uint16_t port_;
  const std::string token_;
  const std::string ticket_;
  std::atomic<bool> ticket_is_spent_ = false;
  const Handler handler_;
  std::atomic<bool> ends_ = false;
  std::list<Connection> connections_;  // only serve() and the destructor
};

}  // namespace memd::http

#include "protocol/transport/loopback_server.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <utility>

namespace memd::http {
namespace beast = boost::beast;
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;
using RequestParser = beast::http::request_parser<beast::http::string_body>;

constexpr milliseconds kPatience{30'000};  // for the next bytes of a connection
constexpr milliseconds kBreath{15'000};    // between two signs of life of a stream that has nothing to say

// What every response says to the browser; its policy goes on with the sources of styles and scripts.
constexpr std::string_view kGuards =
    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; ";

bool is_ready(int fd, short what, milliseconds limit) {
  pollfd one{fd, what, 0};
  int n = 0;
  do {
    n = ::poll(&one, 1, static_cast<int>(limit.count()));
  } while (n < 0 && errno == EINTR);
  return n > 0;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    if (!is_ready(fd, POLLOUT, kPatience)) return false;
    const auto n = ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// Whether the browser still waits at the other end. It sends nothing while a stream goes on.
bool is_there(int fd) {
  char byte = 0;
  const auto n = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

std::string head_of(const PageResponse& response, bool keep_alive) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  out += std::string_view(beast::http::obsolete_reason(beast::http::int_to_status(response.status)));
  out += "\r\nContent-Type: " + response.type + "\r\n";
  out += kGuards;
  out += "style-src 'self' " + response.style_source + "; script-src 'self' " + response.script_source + "\r\n";
  if (!response.stream) out += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  out += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return out;
}

// Reads one request; `rest` holds what was received after it. Returns the status to refuse it with; 0: it is whole;
// nullopt: nobody is there any more.
std::optional<unsigned> read_request(int fd, std::string& rest, RequestParser& parser) {
  parser.eager(true);
  parser.header_limit(LoopbackServer::kMostHeader);
  parser.body_limit(LoopbackServer::kMostBody);
  std::array<char, 16384> bytes;
  while (true) {
    if (!rest.empty()) {
      error_code ec;
      const std::size_t used = parser.put(boost::asio::buffer(rest), ec);
      rest.erase(0, used);
      if (ec == beast::http::error::body_limit) return 413;
      if (ec == beast::http::error::header_limit) return 431;
      if (ec && ec != beast::http::error::need_more) return 400;
      if (parser.is_done()) return 0;
    }
    if (!is_ready(fd, POLLIN, kPatience)) return std::nullopt;
    const auto n = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    rest.append(bytes.data(), static_cast<std::size_t>(n));
  }
}

// Returns twice as many hexadecimal digits, which nobody can guess.
template <std::size_t bytes>
Result<std::string> random_digits() {
  std::array<unsigned char, bytes> out{};
  if (RAND_bytes(out.data(), static_cast<int>(out.size())) != 1)
    return Error(Errc::unsupported, "there is no source of random numbers for a token");
  return hexadecimal({reinterpret_cast<const char*>(out.data()), out.size()});
}

bool is_secret(std::string_view text, std::string_view secret) {
  return text.size() == secret.size() && CRYPTO_memcmp(text.data(), secret.data(), secret.size()) == 0;
}

}  // namespace

Result<std::unique_ptr<LoopbackServer>> LoopbackServer::open(std::uint16_t port, Handler handler) {
  const auto failed = [port] { return Error::from_errno(errno, "listen", "127.0.0.1:" + std::to_string(port)); };
  std::signal(SIGPIPE, SIG_IGN);  // send() returns EPIPE instead
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
  if (!fd) return failed();
  ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
  const int yes = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd.get(), any, size) != 0 || ::listen(fd.get(), 32) != 0 || ::getsockname(fd.get(), any, &size) != 0)
    return failed();
  MEMD_TRY_ASSIGN(std::string token, random_digits<32>());
  MEMD_TRY_ASSIGN(std::string ticket, random_digits<16>());
  return std::unique_ptr<LoopbackServer>(new LoopbackServer(std::move(fd), ntohs(address.sin_port), std::move(token),
                                                            std::move(ticket), std::move(handler)));
}

LoopbackServer::LoopbackServer(UniqueFd listening, std::uint16_t port, std::string token, std::string ticket,
                               Handler handler)
    : listening_(std::move(listening)),
      port_(port),
      token_(std::move(token)),
      ticket_(std::move(ticket)),
      handler_(std::move(handler)) {}

LoopbackServer::~LoopbackServer() {
  ends_ = true;
  for (Connection& one : connections_)
    ::shutdown(one.fd.get(), SHUT_RDWR);
  for (Connection& one : connections_)
    one.thread.join();
}

void LoopbackServer::serve(const std::function<bool()>& goes_on) {
  while (goes_on()) {
    if (is_ready(listening_.get(), POLLIN, milliseconds(1000))) accept_one();
    remove_ended();
  }
}

void LoopbackServer::remove_ended() {
  for (auto it = connections_.begin(); it != connections_.end();) {
    if (!it->is_over) {
      ++it;
      continue;
    }
    it->thread.join();
    it = connections_.erase(it);
  }
}

void LoopbackServer::accept_one() {
  UniqueFd fd(::accept(listening_.get(), nullptr, nullptr));
  if (!fd || connections_.size() >= kMostConnections) return;
  ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
  const int yes = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  Connection& one = connections_.emplace_back(std::move(fd));
  one.thread = std::thread([this, &one] {
    talk(one);
    ::shutdown(one.fd.get(), SHUT_RDWR);  // remove_ended() closes it
    one.is_over = true;
  });
}

std::optional<PageResponse> LoopbackServer::refusal(std::string_view host, std::string_view origin) const {
  const std::string end = ":" + std::to_string(port_);
  if (host != "127.0.0.1" + end && host != "localhost" + end)
    return PageResponse{403, "text/plain; charset=utf-8", "This page is only at http://127.0.0.1" + end + "\n"};
  if (!origin.empty() && origin != "http://" + std::string(host))
    return PageResponse{403, "text/plain; charset=utf-8", "Requests of other pages are not answered\n"};
  return std::nullopt;
}

bool LoopbackServer::spends_ticket(std::string_view target) {
  constexpr std::string_view kStart = "/?";
  return target.starts_with(kStart) && is_secret(target.substr(kStart.size()), ticket_) &&
         !ticket_is_spent_.exchange(true);
}

void LoopbackServer::talk(Connection& connection) {
  const int fd = connection.fd.get();
  std::string rest;
  while (!ends_) {
    RequestParser parser;
    const auto status = read_request(fd, rest, parser);
    if (!status) return;
    if (*status != 0) {
      send_all(fd, head_of({*status}, false));
      return;
    }
    const auto& message = parser.get();
    const auto header = [&message](beast::http::field name) { return std::string_view(message[name]); };
    using beast::http::field;
    // Of a header that is there twice, proxies and servers may each believe another one.
    if (message.count(field::host) > 1 || message.count(field::origin) > 1) return;
    if (const auto refused = refusal(header(field::host), header(field::origin))) {
      send_all(fd, head_of(*refused, false) + refused->body);
      return;
    }
    const std::string_view target(message.target());
    const std::string_view authorization = header(field::authorization);
    constexpr std::string_view kBearer = "Bearer ";
    const PageRequest request{
        std::string(message.method_string()),
        std::string(target.substr(0, target.find('?'))),
        std::string(header(field::content_type)),
        std::string(header(field::accept)),
        message.body(),
        authorization.starts_with(kBearer) && is_secret(authorization.substr(kBearer.size()), token_),
        message.method() == beast::http::verb::get && spends_ticket(target)};
    if (!answer(fd, request, message.keep_alive())) return;
  }
}

bool LoopbackServer::answer(int fd, const PageRequest& request, bool keep_alive) {
  PageResponse response;
  try {
    response = handler_(request);
  } catch (const std::exception& e) {
    response = {500, "text/plain; charset=utf-8", std::string(e.what()) + "\n"};
  }
  keep_alive = keep_alive && !response.stream;
  if (!send_all(fd, head_of(response, keep_alive) + response.body)) return false;
  if (!response.stream) return keep_alive;
  auto said = std::chrono::steady_clock::now();
  while (!ends_ && is_there(fd)) {
    auto more = response.stream();
    if (!more) break;
    const auto now = std::chrono::steady_clock::now();
    if (more->empty() && now - said < kBreath) continue;
    if (more->empty()) *more = ":\n\n";
    if (!send_all(fd, *more)) break;
    said = now;
  }
  return false;
}

}  // namespace memd::http

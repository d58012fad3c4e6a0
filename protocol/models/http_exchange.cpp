#include "protocol/models/http_exchange.hpp"

#include "schemas/ascii.hpp"

#include <openssl/ssl.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <algorithm>
#include <utility>

namespace memd::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace {

using asio::ip::tcp;
using boost::system::error_code;

std::string bare_type(std::string_view content_type) {
  std::string out(content_type.substr(0, content_type.find(';')));
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  std::transform(out.begin(), out.end(), out.begin(), ascii::lower);
  return out;
}

Error failure(const error_code& ec, std::string_view doing) {
  const std::string what = std::string(doing) + ": " + ec.message();
  if (ec == beast::error::timeout) return Error(Errc::unavailable, std::string(doing) + ": no answer in time");
  if (ec == beast::http::error::end_of_stream || ec == beast::http::error::partial_message)
    return Error(Errc::unavailable, "the connection was closed in the middle of the answer");
  if (ec == beast::http::error::body_limit) return Error(Errc::protocol, "the answer is larger than it can be");
  if (ec == beast::http::error::header_limit) return Error(Errc::protocol, "the answer has endless headers");
  if (ec.category() == beast::http::make_error_code(beast::http::error::bad_version).category())
    return Error(Errc::protocol, "what answers does not speak HTTP (" + ec.message() + ")");
  return Error(Errc::unavailable, what);
}

asio::ssl::context& tls() {
  // Reading the system's certificates takes megabytes and milliseconds: once, and only when https is used.
  static asio::ssl::context context = [] {
    asio::ssl::context c(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(c.native_handle(), TLS1_2_VERSION);
    error_code ignored;  // without any certificate each host is refused, and said so
    c.set_default_verify_paths(ignored);
    c.set_verify_mode(asio::ssl::verify_peer, ignored);
    return c;
  }();
  return context;
}

template <class Stream>
class ExchangeOver final : public Exchange, public std::enable_shared_from_this<ExchangeOver<Stream>> {
  static constexpr bool kSecure = !std::is_same_v<Stream, beast::tcp_stream>;

 public:
  template <class... StreamArguments>
  ExchangeOver(asio::io_context& loop, const Request& request, Done done, StreamArguments&&... stream)
      : resolver_(loop),
        stream_(std::forward<StreamArguments>(stream)...),
        request_(request),
        done_(std::move(done)),
        deadline_(std::chrono::steady_clock::now() + request.total_timeout) {}

  void start() {
    error_code not_an_address;
    const auto address = asio::ip::make_address(request_.url.host, not_an_address);
    if (!not_an_address) {
      const auto port = static_cast<std::uint16_t>(std::stoi(request_.url.port));
      return connect(tcp::resolver::results_type::create(tcp::endpoint(address, port), request_.url.host, "http"));
    }
    resolver_.async_resolve(request_.url.host, request_.url.port,
                            [self = this->shared_from_this()](error_code ec, tcp::resolver::results_type found) {
                              if (ec) return self->finish(failure(ec, "looking up " + self->request_.url.host));
                              self->connect(found);
                            });
  }

  void abort() override {
    resolver_.cancel();
    lowest().close();
  }

 private:
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }

  void connect(const tcp::resolver::results_type& endpoints) {
    lowest().expires_at(std::min(deadline_, std::chrono::steady_clock::now() + request_.connect_timeout));
    lowest().async_connect(endpoints, [self = this->shared_from_this()](error_code ec, const tcp::endpoint&) {
      if (ec) return self->finish(failure(ec, "connecting"));
      self->secure();
    });
  }

  void secure() {
    if constexpr (kSecure) {
      const std::string& host = request_.url.host;
      SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
      stream_.set_verify_callback(asio::ssl::host_name_verification(host));
      stream_.async_handshake(asio::ssl::stream_base::client, [self = this->shared_from_this()](error_code ec) {
        if (ec) return self->finish(failure(ec, "TLS"));
        self->write();
      });
    } else {
      write();
    }
  }

  void write() {
    using beast::http::field;
    message_.method(beast::http::verb::post);
    message_.target(request_.url.path.empty() ? "/" : request_.url.path);
    message_.version(11);
    message_.set(field::host, request_.url.authority());
    message_.set(field::user_agent, "memd");
    message_.set(field::accept, "application/json");
    message_.set(field::content_type, "application/json");
    message_.set(field::connection, "close");
    for (const auto& [name, value] : request_.headers)
      message_.set(name, value);
    message_.body() = std::move(request_.body);
    message_.prepare_payload();
    lowest().expires_at(deadline_);
    beast::http::async_write(stream_, message_, [self = this->shared_from_this()](error_code ec, std::size_t) {
      // A server may answer, and close, before it has read everything: its answer says more than the broken pipe.
      if (ec && ec != asio::error::broken_pipe && ec != asio::error::connection_reset)
        return self->finish(failure(ec, "sending"));
      self->read();
    });
  }

  void read() {
    parser_.body_limit(request_.most_response_bytes);
    beast::http::async_read(stream_, buffer_, parser_, [self = this->shared_from_this()](error_code ec, std::size_t) {
      if (ec) return self->finish(failure(ec, "receiving"));
      auto message = self->parser_.release();
      Response out;
      out.status = static_cast<int>(message.result_int());
      out.content_type = bare_type(message[beast::http::field::content_type]);
      out.retry_after = message[beast::http::field::retry_after];
      out.location = message[beast::http::field::location];
      out.body = std::move(message.body());
      self->finish(std::move(out));
    });
  }

  void finish(Result<Response> answer) {
    // "Connection: close" was agreed; waiting for the other side's goodbye would only take time.
    lowest().close();
    if (done_) std::exchange(done_, nullptr)(std::move(answer));
  }

  tcp::resolver resolver_;
  Stream stream_;
  Request request_;
  Done done_;
  const std::chrono::steady_clock::time_point deadline_;
  beast::http::request<beast::http::string_body> message_;
  beast::http::response_parser<beast::http::string_body> parser_;
  beast::flat_buffer buffer_;
};

}  // namespace

std::shared_ptr<Exchange> Exchange::begin(asio::io_context& loop, const Request& request, Done done) {
  if (request.url.secure) {
    auto exchange = std::make_shared<ExchangeOver<beast::ssl_stream<beast::tcp_stream>>>(loop, request, std::move(done),
                                                                                         loop, tls());
    asio::post(loop, [exchange] { exchange->start(); });
    return exchange;
  }
  auto exchange = std::make_shared<ExchangeOver<beast::tcp_stream>>(loop, request, std::move(done), loop);
  asio::post(loop, [exchange] { exchange->start(); });
  return exchange;
}

}  // namespace memd::http

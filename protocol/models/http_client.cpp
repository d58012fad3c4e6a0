#include "protocol/models/http_client.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"

#include <openssl/ssl.h>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace memd::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace {

using boost::system::error_code;

// Uses the loop's own executor: the default type-erased one triples the compile time of this file.
using LoopExecutor = asio::io_context::executor_type;
using Tcp = asio::ip::tcp;
using Socket = asio::basic_stream_socket<Tcp, LoopExecutor>;
using Resolver = asio::ip::basic_resolver<Tcp, LoopExecutor>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, LoopExecutor>;

std::string bare_type(std::string_view content_type) {
  return ascii::lowered(ascii::trimmed(content_type.substr(0, content_type.find(';'))));
}

Error failure(const error_code& ec, std::string_view doing) {
  using beast::http::error;
  if (ec == error::end_of_stream || ec == error::partial_message)
    return Error(Errc::unavailable, "the connection was closed in the middle of the answer");
  if (ec == error::body_limit) return Error(Errc::protocol, "the answer is larger than it can be");
  if (ec == error::header_limit) return Error(Errc::protocol, "the answer has endless headers");
  if (ec.category() == beast::http::make_error_code(error::bad_version).category())
    return Error(Errc::protocol, "what answers does not speak HTTP (" + ec.message() + ")");
  return Error(Errc::unavailable, std::string(doing) + ": " + ec.message());
}

asio::ssl::context& tls() {
  // Reading the system's certificates takes megabytes and milliseconds: once, and only when https is used.
  static asio::ssl::context context = [] {
    asio::ssl::context c(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(c.native_handle(), TLS1_2_VERSION);
    error_code ignored;  // without certificates every host is refused, with an error
    c.set_default_verify_paths(ignored);
    c.set_verify_mode(asio::ssl::verify_peer, ignored);
    return c;
  }();
  return context;
}

// A TCP connection, with or without TLS on it. Loop thread.
class Connection {
 public:
  using Done = std::function<void(error_code, std::size_t)>;
  virtual ~Connection() = default;
  virtual Socket& socket() = 0;
  virtual void async_handshake(Done done) = 0;
  virtual void async_read_some(asio::mutable_buffer into, Done done) = 0;
  virtual void async_write_some(asio::const_buffer bytes, Done done) = 0;
};

class PlainConnection final : public Connection {
 public:
  explicit PlainConnection(asio::io_context& loop) : socket_(loop) {}
  Socket& socket() override { return socket_; }
  void async_handshake(Done done) override { done({}, 0); }
  void async_read_some(asio::mutable_buffer into, Done done) override {
    socket_.async_read_some(asio::buffer(into), std::move(done));
  }
  void async_write_some(asio::const_buffer bytes, Done done) override {
    socket_.async_write_some(asio::buffer(bytes), std::move(done));
  }

 private:
  Socket socket_;
};

class TlsConnection final : public Connection {
 public:
  TlsConnection(asio::io_context& loop, const std::string& host) : stream_(loop, tls()) {
    SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
    stream_.set_verify_callback(asio::ssl::host_name_verification(host));
  }
  Socket& socket() override { return stream_.next_layer(); }
  void async_handshake(Done done) override {
    stream_.async_handshake(asio::ssl::stream_base::client,
                            [done = std::move(done)](const error_code& ec) { done(ec, 0); });
  }
  void async_read_some(asio::mutable_buffer into, Done done) override {
    stream_.async_read_some(asio::buffer(into), std::move(done));
  }
  void async_write_some(asio::const_buffer bytes, Done done) override {
    stream_.async_write_some(asio::buffer(bytes), std::move(done));
  }

 private:
  asio::ssl::stream<Socket> stream_;
};

std::string request_text(const Request& request) {
  std::string out = "POST " + (request.url.path.empty() ? "/" : request.url.path) + " HTTP/1.1\r\n";
  const auto add = [&out](std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
  };
  add("Host", request.url.authority());
  add("User-Agent", "memd");
  add("Accept", "application/json");
  add("Content-Type", "application/json");
  add("Connection", "close");
  for (const auto& [name, value] : request.headers)
    add(name, value);
  add("Content-Length", std::to_string(request.body.size()));
  return out.append("\r\n").append(request.body);
}

// Bytes of a line of headers, or of a chunk's. Beast limits headers only.
constexpr std::size_t kLongestLine = 16'384;

// One request and its answer. Loop thread. Keeps itself alive until it has reported the outcome.
class Exchange final : public std::enable_shared_from_this<Exchange> {
 public:
  using Done = std::function<void(Result<Response>)>;

  Exchange(asio::io_context& loop, const Request& request, Done done)
      : url_(request.url),
        request_(request_text(request)),
        connect_timeout_(request.connect_timeout),
        deadline_(std::chrono::steady_clock::now() + request.total_timeout),
        done_(std::move(done)),
        resolver_(loop),
        timer_(loop) {
    if (url_.secure)
      connection_ = std::make_unique<TlsConnection>(loop, url_.host);
    else
      connection_ = std::make_unique<PlainConnection>(loop);
    parser_.body_limit(request.most_response_bytes);
    parser_.eager(true);
  }

  void start() {
    error_code not_an_address;
    const auto address = asio::ip::make_address(url_.host, not_an_address);
    if (!not_an_address) {
      endpoints_.emplace_back(address, static_cast<std::uint16_t>(std::stoi(url_.port)));
      return begin_connecting();
    }
    resolver_.async_resolve(
        url_.host, url_.port,
        [self = shared_from_this()](const error_code& ec, const Tcp::resolver::results_type& found) {
          if (ec) return self->fail(ec, "looking up " + self->url_.host);
          for (const auto& entry : found)
            self->endpoints_.push_back(entry.endpoint());
          self->begin_connecting();
        });
  }

  // Closes the connection. The pending operation then fails soon.
  void abort() {
    resolver_.cancel();
    close();
  }

 private:
  void begin_connecting() {
    keep_time_until(std::min(deadline_, std::chrono::steady_clock::now() + connect_timeout_));
    connect(0);
  }

  // Tries the addresses of a host in turn.
  void connect(std::size_t index) {
    if (closed_) return fail(asio::error::operation_aborted, "connecting");  // connecting would open the socket again
    connection_->socket().async_connect(endpoints_[index], [self = shared_from_this(), index](const error_code& ec) {
      if (!ec) return self->shake_hands();
      if (self->closed_ || index + 1 == self->endpoints_.size()) return self->fail(ec, "connecting");
      error_code ignored;
      self->connection_->socket().close(ignored);
      self->connect(index + 1);
    });
  }

  void shake_hands() {
    connection_->async_handshake([self = shared_from_this()](const error_code& ec, std::size_t) {
      if (ec) return self->fail(ec, "TLS");
      self->keep_time_until(self->deadline_);
      self->write();
    });
  }

  void write() {
    connection_->async_write_some(asio::buffer(request_) + written_,
                                  [self = shared_from_this()](const error_code& ec, std::size_t n) {
                                    self->written_ += n;
                                    // A server may answer, and close, before it has read everything: its answer says
                                    // more than the broken pipe.
                                    if (ec == asio::error::broken_pipe || ec == asio::error::connection_reset)
                                      return self->read();
                                    if (ec) return self->fail(ec, "sending");
                                    if (self->written_ < self->request_.size()) return self->write();
                                    self->read();
                                  });
  }

  void read() {
    connection_->async_read_some(asio::buffer(chunk_), [self = shared_from_this()](error_code ec, std::size_t n) {
      self->unparsed_.append(self->chunk_.data(), n);
      if (ec == asio::error::eof) {
        ec = {};
        self->parse(ec);
        if (!ec && !self->parser_.is_done()) self->end_of_input(ec);
      } else if (!ec) {
        self->parse(ec);
      }
      if (ec) return self->fail(ec, "receiving");
      if (!self->parser_.is_done()) return self->read();
      self->finish(self->response());
    });
  }

  // Passes the received bytes to the parser, which leaves an incomplete header line.
  void parse(error_code& ec) {
    while (!unparsed_.empty() && !parser_.is_done()) {
      const std::size_t taken = parser_.put(asio::buffer(unparsed_), ec);
      unparsed_.erase(0, taken);
      if (ec == beast::http::error::need_more) {
        ec = {};
        if (unparsed_.size() > kLongestLine) ec = beast::http::error::header_limit;
        return;
      }
      if (ec || taken == 0) return;
    }
  }

  void end_of_input(error_code& ec) {
    if (parser_.got_some())
      parser_.put_eof(ec);
    else
      ec = beast::http::error::end_of_stream;
  }

  Response response() {
    auto message = parser_.release();
    Response out;
    out.status = static_cast<int>(message.result_int());
    out.content_type = bare_type(message[beast::http::field::content_type]);
    out.retry_after = message[beast::http::field::retry_after];
    out.location = message[beast::http::field::location];
    out.body = std::move(message.body());
    return out;
  }

  void keep_time_until(std::chrono::steady_clock::time_point moment) {
    timer_.expires_at(moment);
    timer_.async_wait([self = shared_from_this()](const error_code& ec) {
      if (ec || self->closed_ || self->timer_.expiry() > std::chrono::steady_clock::now()) return;
      self->timed_out_ = true;
      self->close();
    });
  }

  void fail(const error_code& ec, std::string_view doing) {
    finish(timed_out_ ? Error(Errc::unavailable, std::string(doing) + ": no answer in time") : failure(ec, doing));
  }

  void finish(Result<Response> answer) {
    // The request said "Connection: close", so there is nothing more to wait for.
    close();
    if (done_) std::exchange(done_, nullptr)(std::move(answer));
  }

  void close() {
    closed_ = true;
    timer_.cancel();
    error_code ignored;
    connection_->socket().close(ignored);
  }

  const Url url_;
  const std::string request_;
  const std::chrono::milliseconds connect_timeout_;
  const std::chrono::steady_clock::time_point deadline_;
  Done done_;

  Resolver resolver_;
  Timer timer_;
  std::unique_ptr<Connection> connection_;
  std::vector<Tcp::endpoint> endpoints_;
  std::size_t written_ = 0;
  std::array<char, 16384> chunk_;
  std::string unparsed_;
  beast::http::response_parser<beast::http::string_body> parser_;
  bool timed_out_ = false;
  bool closed_ = false;
};

// State shared by the waiting thread and the loop thread; both own it.
struct Waiting {
  std::mutex mutex;
  std::condition_variable_any answered;
  std::optional<Result<Response>> answer;  // guarded by mutex
};

}  // namespace

struct Client::Loop {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  std::mutex mutex;
  std::thread thread;  // guarded by mutex until it runs

  void start() {
    const std::lock_guard lock(mutex);
    if (!thread.joinable()) thread = std::thread([this] { context.run(); });
  }
};

Client::Client() : loop_(std::make_unique<Loop>()) {}

Client::~Client() {
  loop_->context.stop();
  if (loop_->thread.joinable()) loop_->thread.join();
}

Result<Response> Client::post(const Request& request, std::stop_token stop) {
  if (stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
  loop_->start();
  const auto waiting = std::make_shared<Waiting>();
  const auto done = [waiting](Result<Response> answer) {
    const std::lock_guard lock(waiting->mutex);
    waiting->answer = std::move(answer);
    waiting->answered.notify_all();
  };
  const auto exchange = std::make_shared<Exchange>(loop_->context, request, done);
  asio::post(loop_->context, [exchange] { exchange->start(); });
  std::unique_lock lock(waiting->mutex);
  const auto is_there = [&] { return waiting->answer.has_value(); };
  // The exchange has its own timer, but that does not cover the name look-up.
  const bool there =
      waiting->answered.wait_for(lock, stop, request.total_timeout + std::chrono::milliseconds(100), is_there);
  if (there) return std::move(*waiting->answer);
  lock.unlock();
  asio::post(loop_->context, [exchange] { exchange->abort(); });
  if (stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
  return Error(Errc::unavailable, "no answer within " + std::to_string(request.total_timeout.count()) + " ms");
}

}  // namespace memd::http

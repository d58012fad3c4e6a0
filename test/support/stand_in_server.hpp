#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <sys/socket.h>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace memd::test {

// An embedding server on a loopback port that answers as a test wants, correctly or not. It has its own thread and
// handles one connection at a time.
class StandInServer {
 public:
  struct Asked {
    std::string path;
    std::string head;  // request line and headers
    boost::json::object body;
  };
  struct Reply {
    int status = 200;
    std::string content_type = "application/json";
    std::string headers;  // additional lines, each with \r\n
    std::string body;
    std::string raw;                            // if not empty, sent instead of all fields above
    std::size_t cut_after = std::string::npos;  // bytes sent before the connection is closed
    bool drip = false;                          // send one byte at a time, until the peer closes the connection
    bool hang = false;                          // send nothing, until the peer closes the connection
  };
  using Answer = std::function<Reply(const Asked&)>;

  explicit StandInServer(Answer answer)
      : answer_(std::move(answer)), acceptor_(context_, {boost::asio::ip::address_v4::loopback(), 0}) {
    port_ = acceptor_.local_endpoint().port();
    thread_ = std::thread([this] { serve(); });
  }
  ~StandInServer() { close(); }

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void answer_with(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  std::vector<Asked> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  // Stops listening.
  void close() {
    if (stopping_.exchange(true)) return;
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
    acceptor_.close();
  }

 private:
  void serve() {
    while (!stopping_) {
      boost::system::error_code ec;
      auto socket = acceptor_.accept(ec);
      if (ec) continue;
      talk(socket);
    }
  }

  void talk(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ec;
    boost::asio::streambuf buffer;
    const auto head_size = boost::asio::read_until(socket, buffer, "\r\n\r\n", ec);
    if (ec) return;
    std::string head(head_size, '\0');
    buffer.sgetn(head.data(), static_cast<std::streamsize>(head_size));
    const auto at = head.find("Content-Length: ");
    const std::size_t length = at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
    while (buffer.size() < length && !ec)
      boost::asio::read(socket, buffer, boost::asio::transfer_exactly(length - buffer.size()), ec);
    std::string body(length, '\0');
    buffer.sgetn(body.data(), static_cast<std::streamsize>(length));
    Asked asked;
    asked.head = head;
    asked.path = head.substr(5, head.find(' ', 5) - 5);  // after "POST "
    asked.body = boost::json::parse(body).as_object();
    Reply reply;
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(asked);
      reply = answer_(asked);
    }
    send(socket, reply);
  }

  void send(boost::asio::ip::tcp::socket& socket, const Reply& reply) {
    std::string bytes = reply.raw;
    if (bytes.empty())
      bytes = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\nContent-Type: " + reply.content_type + "\r\n" +
              reply.headers + "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" + reply.body;
    boost::system::error_code ec;
    if (reply.hang) return until_closed(socket, {});
    if (reply.drip) return until_closed(socket, bytes);
    boost::asio::write(socket, boost::asio::buffer(bytes.data(), std::min(bytes.size(), reply.cut_after)), ec);
    socket.shutdown(boost::asio::ip::tcp::socket::shutdown_both, ec);
  }

  // Sends one byte of `bytes` every 10 ms until the peer closes the connection.
  void until_closed(boost::asio::ip::tcp::socket& socket, const std::string& bytes) {
    timeval moment{0, 10'000};
    ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment);
    for (std::size_t i = 0; !stopping_; ++i) {
      char c = 0;
      const auto got = ::recv(socket.native_handle(), &c, 1, 0);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) return;
      if (i < bytes.size() && ::send(socket.native_handle(), &bytes[i], 1, MSG_NOSIGNAL) < 0) return;
    }
  }

  boost::asio::io_context context_;
  mutable std::mutex mutex_;
  Answer answer_;             // guarded by mutex_
  std::vector<Asked> asked_;  // guarded by mutex_
  boost::asio::ip::tcp::acceptor acceptor_;
  unsigned port_ = 0;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// Returns a vector of the text's letter counts. The same text always gives the same vector.
inline std::vector<double> letters_vector(std::string_view text, std::size_t dimension) {
  std::vector<double> out(dimension, 0.01);
  for (const char c : text)
    out[static_cast<unsigned char>(c) % dimension] += 1;
  return out;
}

// Returns the answer of a working model, in either dialect.
inline StandInServer::Reply good_answer(const StandInServer::Asked& asked, std::size_t dimension = 8) {
  const bool ollama = asked.path.ends_with("/api/embed");
  boost::json::array rows;
  std::size_t index = 0;
  for (const auto& text : asked.body.at("input").as_array()) {
    boost::json::array numbers;
    for (const double x : letters_vector(std::string(text.as_string()), dimension))
      numbers.push_back(x);
    if (ollama)
      rows.push_back(std::move(numbers));
    else
      rows.insert(rows.begin(), boost::json::object{{"index", index}, {"embedding", std::move(numbers)}});
    ++index;
  }
  StandInServer::Reply reply;
  reply.body = boost::json::serialize(boost::json::object{{ollama ? "embeddings" : "data", std::move(rows)}});
  return reply;
}

}  // namespace memd::test

#include "protocol/models/http_client.hpp"

#include "protocol/models/http_exchange.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace memd::http {
namespace asio = boost::asio;

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

namespace {

// Between the asking thread and the loop's; lives as long as the longer of both.
struct Waiting {
  std::mutex mutex;
  std::condition_variable_any answered;
  std::optional<Result<Response>> answer;  // guarded by mutex
};

}  // namespace

Result<Response> Client::post(const Request& request, std::stop_token stop) {
  if (stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
  loop_->start();
  const auto waiting = std::make_shared<Waiting>();
  const auto done = [waiting](Result<Response> answer) {
    const std::lock_guard lock(waiting->mutex);
    waiting->answer = std::move(answer);
    waiting->answered.notify_all();
  };
  const auto exchange = Exchange::begin(loop_->context, request, done);
  std::unique_lock lock(waiting->mutex);
  const auto is_there = [&] { return waiting->answer.has_value(); };
  // The exchange keeps its own time, but a name server that does not answer is waited for by nobody.
  const bool there =
      waiting->answered.wait_for(lock, stop, request.total_timeout + std::chrono::milliseconds(100), is_there);
  if (there) return std::move(*waiting->answer);
  lock.unlock();
  asio::post(loop_->context, [exchange] { exchange->abort(); });
  if (stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
  return Error(Errc::unavailable, "no answer within " + std::to_string(request.total_timeout.count()) + " ms");
}

}  // namespace memd::http

#include "daemon/serve/worker_pool.hpp"

#include "daemon/log.hpp"

#include <boost/asio/post.hpp>

#include <system_error>
#include <utility>

namespace memd {

WorkerPool::WorkerPool(std::size_t threads) : work_(context_.get_executor()), most_(2 * threads) {
  try {
    while (threads_.size() < threads)
      threads_.emplace_back([this] { context_.run(); });
  } catch (...) {
    stop();
    throw;
  }
}

void WorkerPool::post(std::function<void()> work) { boost::asio::post(context_, std::move(work)); }

void WorkerPool::add() {
  if (threads_.size() >= most_) return;
  try {
    threads_.emplace_back([this] { context_.run(); });
  } catch (const std::system_error& e) {
    log::error("no thread takes the place of one that does not end: {}", e.what());
  }
}

void WorkerPool::stop() {
  context_.stop();
  threads_.clear();
}

}  // namespace memd

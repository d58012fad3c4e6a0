#include "daemon/serve/worker_pool.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace memd {

WorkerPool::WorkerPool(std::size_t threads) : work_(context_.get_executor()) {
  try {
    while (threads_.size() < threads)
      threads_.emplace_back([this] { context_.run(); });
  } catch (...) {
    stop();
    throw;
  }
}

void WorkerPool::post(std::function<void()> work) { boost::asio::post(context_, std::move(work)); }

void WorkerPool::stop() {
  context_.stop();
  threads_.clear();
}

}  // namespace memd

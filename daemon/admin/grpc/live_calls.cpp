#include "daemon/admin/grpc/live_calls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <utility>

namespace memd::admin::rpc {
namespace {

constexpr std::size_t kMostCalls = 64;

grpc::Status stopping() { return {grpc::StatusCode::UNAVAILABLE, "memd is stopping"}; }

}  // namespace

grpc::Status LiveCalls::add(std::shared_ptr<LiveCall> call) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return stopping();
  if (calls_.size() >= kMostCalls)
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many calls at once: wait for some of them"};
  calls_.push_back(std::move(call));
  return grpc::Status::OK;
}

void LiveCalls::remove(const LiveCall& call) {
  const std::lock_guard lock(mutex_);
  std::erase_if(calls_, [&](const auto& one) { return one.get() == &call; });
}

std::vector<std::shared_ptr<LiveCall>> LiveCalls::now() {
  const std::lock_guard lock(mutex_);
  return calls_;
}

void LiveCalls::to_worker(std::function<void()> task) {
  boost::asio::post(parts_.loop, [this, task = std::move(task)]() mutable { parts_.to_worker(std::move(task)); });
}

void LiveCalls::committed() {
  for (const auto& call : now())
    call->committed();
}

void LiveCalls::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (const auto& call : now())
    call->end(stopping());
}

}  // namespace memd::admin::rpc

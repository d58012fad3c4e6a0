#include "daemon/admin/grpc/live_calls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <utility>

namespace memd::admin::rpc {
namespace {

constexpr std::size_t kMostCalls = 64;

}  // namespace

grpc::Status LiveCalls::add(std::shared_ptr<LiveCall> call) {
  const std::lock_guard lock(mutex_);
  if (closing_) return closing();
  if (calls_.size() >= kMostCalls)
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many calls at once: wait for some of them"};
  calls_.push_back(std::move(call));
  return grpc::Status::OK;
}

void LiveCalls::remove(const LiveCall& call) {
  std::function<void()> on_idle;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(calls_, [&](const auto& one) { return one.get() == &call; });
    if (calls_.empty()) on_idle = std::exchange(on_idle_, {});
  }
  if (on_idle) on_idle();
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

void LiveCalls::drain(std::string why, std::function<void()> on_idle) {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    why_ = std::move(why);
    if (!calls_.empty()) on_idle_ = std::exchange(on_idle, {});
  }
  if (on_idle) return on_idle();
  for (const auto& call : now())
    if (!call->ends_by_itself()) call->end(closing());
}

void LiveCalls::stop() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  for (const auto& call : now())
    call->end(closing());
}

}  // namespace memd::admin::rpc

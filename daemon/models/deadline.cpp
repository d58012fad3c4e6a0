#include "daemon/models/deadline.hpp"

#include <utility>

namespace memd::llm {

Deadline::Deadline(std::stop_token caller, std::optional<std::chrono::seconds> allowed, Now now)
    : caller_(std::move(caller), [this] { source_.request_stop(); }),
      now_(std::move(now)),
      until_(allowed ? std::optional(now_() + *allowed) : std::nullopt) {
  if (!allowed) return;
  timer_ = std::jthread([this, wait = *allowed](const std::stop_token& over) {
    std::unique_lock lock(mutex_);
    never_.wait_for(lock, over, wait, [] { return false; });
    if (!over.stop_requested()) source_.request_stop();
  });
}

}  // namespace memd::llm

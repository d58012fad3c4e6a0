#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace memd::llm {

// A stop token that is requested by the caller's or, if there is one, by a moment. The thread that waits for the moment
// is there only if there is one.
class Deadline {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Now = std::function<Time()>;

  Deadline(std::stop_token caller, std::optional<std::chrono::seconds> allowed, Now now);

  std::stop_token token() const { return source_.get_token(); }
  bool passed() const { return until_ && now_() >= *until_; }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> caller_;
  const Now now_;
  const std::optional<Time> until_;
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread timer_;
};

}  // namespace memd::llm

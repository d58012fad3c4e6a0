#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace memd::provider {

// After a failure the other side is left alone for a while, twice as long with each failure that follows, give or take
// some chance so that many clients do not come back at once. One that asks to be left alone longer is. Thread-safe.
class CircuitBreaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Milliseconds = std::chrono::milliseconds;

  struct Options {
    Milliseconds first{1000};
    Milliseconds longest{300'000};
    Milliseconds longest_asked_for{3'600'000};
    std::function<Time()> now = std::chrono::steady_clock::now;
    std::function<double()> chance;  // 0…1; empty: random
  };

  explicit CircuitBreaker(Options options);

  // Why and until when nothing is to be tried; nothing: go on.
  struct Open {
    std::string reason;
    Time until;
  };
  std::optional<Open> open() const;

  void succeeded();
  // `hopeless`: the same request fails again until somebody does something about it, so the first wait is long.
  void failed(std::string reason, bool hopeless, std::optional<Milliseconds> asked_for);

 private:
  const Options options_;
  mutable std::mutex mutex_;
  int failures_ = 0;  // in a row; guarded by mutex_, as is the rest
  std::string reason_;
  Time until_{};
};

}  // namespace memd::provider

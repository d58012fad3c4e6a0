#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace memd::provider {

// Decides how long a server gets no requests after a failure. The wait doubles with each further failure, is randomised
// so that many clients do not return at once, and is at least as long as the server demands. Thread-safe.
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

  // Reason and end of the wait; nullopt: requests may be sent.
  struct Open {
    std::string reason;
    Time until;
  };
  std::optional<Open> open() const;

  void succeeded();
  // `hopeless`: the request will fail until somebody changes something, so the first wait is already long.
  void failed(std::string reason, bool hopeless, std::optional<Milliseconds> asked_for);

 private:
  const Options options_;
  mutable std::mutex mutex_;
  int failures_ = 0;  // in a row; guarded by mutex_, as is the rest
  std::string reason_;
  Time until_{};
};

}  // namespace memd::provider

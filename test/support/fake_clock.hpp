#pragma once

#include "schemas/base/timestamp.hpp"

#include <atomic>

namespace memd::test {

// A clock that changes only when a test sets or advances it. Thread-safe.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(TimeMs start = 1'770'000'000'000) : now_(start) {}
  TimeMs now() const override { return now_.load(); }
  void advance(TimeMs ms) { now_ += ms; }
  void set(TimeMs t) { now_ = t; }

 private:
  std::atomic<TimeMs> now_;
};

}  // namespace memd::test

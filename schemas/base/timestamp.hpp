#pragma once

#include <cstdint>
#include <limits>

// Points in time and the clock that gives them. Their texts and the time zone: schemas/base/time.hpp.
namespace memd {

// Unix epoch milliseconds, UTC. 0 means "the source did not say".
using TimeMs = std::int64_t;

// Converts Unix epoch seconds. 0 for a number that is no time in 64 bits.
constexpr TimeMs from_unix_seconds(std::int64_t seconds) {
  constexpr std::int64_t kMost = std::numeric_limits<TimeMs>::max() / 1000;
  return seconds > kMost || seconds < -kMost ? 0 : seconds * 1000;
}

inline constexpr TimeMs kMsPerDay = 24LL * 60 * 60 * 1000;
inline constexpr TimeMs kDiagnosticRetention = 30 * kMsPerDay;

struct TimeRange {
  TimeMs start = 0;
  TimeMs end = 0;
};

// Returns whether `length` has passed since `then`. A `then` in the future came from a wrong clock and counts as
// passed.
constexpr bool has_passed(TimeMs length, TimeMs then, TimeMs now) { return now < then || now - then >= length; }

// Source of the current time. Thread-safe. Tests use test/support/fake_clock.hpp.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeMs now() const = 0;
};

const Clock& system_clock();

}  // namespace memd

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

// Unix epoch milliseconds, UTC. 0 means "the source did not say".
using TimeMs = std::int64_t;

inline constexpr TimeMs kMsPerDay = 24LL * 60 * 60 * 1000;
inline constexpr TimeMs kDiagnosticRetention = 30 * kMsPerDay;

// "2026-02-09T06:01:53.253Z". Empty for 0.
std::string format_rfc3339(TimeMs t);

// Accepts RFC 3339 with any fraction and offset ("…Z", "…+02:00"), a space for the T, and a bare date or a time
// without offset (both taken as UTC). nullopt for anything else, including 2026-02-30 and what is outside the
// years 0000…9999 in UTC.
std::optional<TimeMs> parse_rfc3339(std::string_view text);

// Where "now" comes from. Thread-safe. Tests use test/support/fake_clock.hpp.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeMs now() const = 0;
};

const Clock& system_clock();

}  // namespace memd

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
// Whether `length` has passed since `then`. A `then` that is yet to come was noted by a clock that was wrong.
constexpr bool has_passed(TimeMs length, TimeMs then, TimeMs now) { return now < then || now - then >= length; }

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeMs now() const = 0;
};

const Clock& system_clock();

// People's days and clock times. Stored times are UTC. What people read, and what they mean by "yesterday", is in the
// one time zone of the process, which is UTC until use_time_zone() sets another. All functions but that are
// thread-safe.

// Whether the system knows a zone of this IANA name ("Asia/Tokyo"); UTC is always known.
bool is_time_zone(const std::string& name);

// Sets the time zone. Empty or unknown: the system's ($TZ, else /etc/localtime). Call it before threads start.
void use_time_zone(const std::string& name);

// "UTC"; "Asia/Tokyo (UTC+09:00)", with the offset that holds now; "UTC+01:00" where the system's zone has no name.
std::string time_zone_label();

// The local clock's reading at `t`, counted as if it were UTC, and back. Of a reading that occurs twice the earlier
// time is taken. A skipped reading maps to the same offset after the gap.
TimeMs to_local(TimeMs t);
TimeMs from_local(TimeMs wall);

// The number of the local day that holds `t`, and the time at which a day begins. Days have 23 to 25 hours.
std::int64_t local_day(TimeMs t);
TimeMs day_start(std::int64_t day);

// How far the local clock is ahead of UTC from a time on.
struct ClockOffset {
  TimeMs from = 0;
  TimeMs ahead = 0;
};
// The offsets in force between two times, in order. The first is the one in force at `from`.
std::vector<ClockOffset> clock_offsets(TimeMs from, TimeMs to);

// As parse_rfc3339(), but a date or a time without an offset is local.
std::optional<TimeMs> parse_local_time(std::string_view text);

// "2026-02-09 15:01". Empty for 0.
std::string format_local_minute(TimeMs t);

}  // namespace memd

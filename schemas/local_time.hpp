#pragma once

#include "schemas/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// People's days and clock times. Stored times are UTC; what is said to people, and what they mean by "yesterday", is of
// one time zone of the process. That is UTC until one is chosen.
namespace memd {

// Whether the system knows a zone of this IANA name ("Asia/Tokyo"); UTC is always known.
bool is_time_zone(const std::string& name);

// A known name; empty: the system's ($TZ, else /etc/localtime), and so if it turns out not to be known. Before threads
// are started.
void use_time_zone(const std::string& name);

// "UTC"; "Asia/Tokyo (UTC+09:00)", with the offset that holds now; "UTC+01:00" where the system's zone has no name.
std::string time_zone_label();

// The clock on the wall at `t`, as if it were UTC, and back. A time that the clock shows twice is the earlier one, one
// that it jumps over is as far behind the jump as it is behind its begin.
TimeMs to_local(TimeMs t);
TimeMs from_local(TimeMs wall);

// Number of the local day that `t` lies in, and when the day of a number begins. Days have 23 to 25 hours.
std::int64_t local_day(TimeMs t);
TimeMs day_start(std::int64_t day);

// How far the clock is ahead of UTC, from a time on.
struct ClockOffset {
  TimeMs from = 0;
  TimeMs ahead = 0;
};
// All there are between two times, in order; the first is that of `from`.
std::vector<ClockOffset> clock_offsets(TimeMs from, TimeMs to);

// As parse_rfc3339(), but a bare date or a time without offset is of the time zone.
std::optional<TimeMs> parse_local_time(std::string_view text);

// "2026-02-09 15:01". Empty for 0.
std::string format_local_minute(TimeMs t);

}  // namespace memd

#pragma once

#include "schemas/base/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// "2026-02-09T06:01:53.253Z". Empty for 0.
std::string format_rfc3339(TimeMs t);

// Accepts RFC 3339 with any fraction and offset ("…Z", "…+02:00"), a space for the T, and a bare date or a time
// without offset (both taken as UTC). nullopt for anything else, including 2026-02-30 and what is outside the
// years 0000…9999 in UTC.
std::optional<TimeMs> parse_rfc3339(std::string_view text);

// Local time. Stored times are UTC. Times that people read, and phrases like "yesterday", are in the one time zone of
// the process, which is UTC until use_time_zone() sets another. All functions but that are thread-safe.

// Returns whether the system has a zone of this IANA name ("Asia/Tokyo"); always true for UTC.
bool is_time_zone(const std::string& name);

// Sets the time zone. Empty or unknown: the system's ($TZ, else /etc/localtime). Call it before threads start.
void use_time_zone(const std::string& name);

// "UTC"; "Asia/Tokyo (UTC+09:00)", with the offset that holds now; "UTC+01:00" where the system's zone has no name.
std::string time_zone_label();

// Convert between UTC and local time, the latter counted in milliseconds as if it were UTC. For a local time that
// occurs twice, from_local() returns the earlier. A skipped local time maps to a time after the gap: 02:30 to
// 03:30 when 02:00 to 03:00 is skipped.
TimeMs to_local(TimeMs t);
TimeMs from_local(TimeMs wall);

// The number of the local day that holds `t`, and the time at which a day begins. Days have 23 to 25 hours.
std::int64_t local_day(TimeMs t);
TimeMs day_start(std::int64_t day);

// Offset of local time from UTC, valid from a point in time.
struct ClockOffset {
  TimeMs from = 0;
  TimeMs ahead = 0;
};
// Returns the offsets in force between two times, in order. The first is the one in force at `from`.
std::vector<ClockOffset> clock_offsets(TimeMs from, TimeMs to);

// Like parse_rfc3339(), but a date or a time without an offset is local.
std::optional<TimeMs> parse_local_time(std::string_view text);

// "2026-02-09 15:01". Empty for 0.
std::string format_local_minute(TimeMs t);

}  // namespace memd

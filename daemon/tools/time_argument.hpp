#pragma once

#include "schemas/error.hpp"
#include "schemas/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memd::tools {

// Which end of a range a time is. A whole day or longer given as the end ("2026-02-09", "yesterday", "last week") takes
// in that time.
enum class RangeEnd { since, until };

// RFC 3339, a date, a month ("2026-05", "May 2026", "May"), a year, a weekday, "today", "yesterday" (with a time or
// without), "this week", "now", or a span back from now: "7d", "24h", "2 weeks ago", "last 3 days", "last week", "1mo",
// "1y" (30 and 365 days). Days, and times without an offset, are of the time zone
// (schemas/local_time). invalid_argument names `argument` and says what to send.
Result<TimeMs> parse_time_argument(std::string_view argument, std::string_view text, RangeEnd end, const Clock& clock);

struct TimeSpan {
  TimeMs since = 0;  // inclusive; 0: open
  TimeMs until = 0;  // exclusive; 0: open
};

// Both ends; an empty range is invalid_argument.
Result<TimeSpan> parse_time_span(const std::optional<std::string>& since, const std::optional<std::string>& until,
                                 const Clock& clock);

}  // namespace memd::tools

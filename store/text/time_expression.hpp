#pragma once

#include "schemas/query.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Times as people write them. Pure functions; every thread may call them.
namespace memd::search {

// A time that a question speaks of, and where it does.
struct TimeExpression {
  TimeRange range;        // end exclusive; of days of the time zone (schemas/time)
  std::size_t first = 0;  // bytes of the text
  std::size_t end = 0;
  bool relative = false;  // "last week": says when and nothing else. "March 2025" may stand in a text, too
};

// The first of: today, yesterday, recently; this, last or past day, week, month, year, weekday; past N days…, N days…
// ago; a month with or without day and year, a year after "in". A month without a year is its latest one. May and March
// need a preposition or a number beside them. In Russian, Chinese, Japanese and Korean: today, yesterday, the day
// before; this and last week, month, year. Without `now` only what names a year is understood.
std::optional<TimeExpression> find_time_expression(std::string_view text, TimeMs now);

// Which end of a range a time is. A whole day or longer given as the end ("2026-02-09", "yesterday", "last week") takes
// in that time.
enum class RangeEnd : std::uint8_t { since, until };

// A text that is a time and nothing else: RFC 3339, a date, a month ("2026-05", "May 2026", "May"), a year, a weekday,
// "today", "yesterday" (with a time or without), "this week", "now", or a span back from now: "7d", "24h", "2 weeks
// ago", "last 3 days", "last week", "1mo", "1y" (30 and 365 days). Days, and times without an offset, are of the time
// zone (schemas/time).
std::optional<TimeMs> read_time(std::string_view text, RangeEnd end, TimeMs now);

}  // namespace memd::search

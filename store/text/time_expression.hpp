#pragma once

#include "schemas/base/timestamp.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Times as people write them. Pure; thread-safe.
namespace memd::search {

// A time mentioned in a query, and its position.
struct TimeExpression {
  TimeRange range;        // end exclusive; days are those of the time zone (schemas/time)
  std::size_t first = 0;  // byte offset in the text
  std::size_t end = 0;
  bool relative = false;  // "last week" can only be a time. "March 2025" may also be a search term
};

// Finds the first of: today, yesterday, recently; this, last or past day, week, month, year, weekday; past N days…, N
// days… ago; a month with or without day and year; a year after "in". A month without a year is its latest one. May and
// March need a preposition or a number beside them. In Russian, Chinese, Japanese and Korean: today, yesterday, the day
// before; this and last week, month, year. Without `now`, only expressions with a year are recognised.
std::optional<TimeExpression> find_time_expression(std::string_view text, TimeMs now);

// The end of a range for which a time is given. A whole day or longer as `until` ("2026-02-09", "yesterday", "last
// week") is included.
enum class RangeEnd : std::uint8_t { since, until };

// Parses a text that consists of a time: RFC 3339, a date, a month ("2026-05", "May 2026", "May"), a year, a weekday,
// "today", "yesterday" (with or without a time), "this week", "now", or a span back from now: "7d", "24h", "2 weeks
// ago", "last 3 days", "last week", "1mo", "1y" (30 and 365 days). Days and times without an offset are in the time
// zone (schemas/time).
std::optional<TimeMs> read_time(std::string_view text, RangeEnd end, TimeMs now);

}  // namespace memd::search

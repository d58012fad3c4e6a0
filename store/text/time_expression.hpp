#pragma once

#include "schemas/query.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace memd::search {

// A time that a question speaks of, and where it does.
struct TimeExpression {
  TimeRange range;        // end exclusive; of days of the time zone (schemas/local_time)
  std::size_t first = 0;  // bytes of the text
  std::size_t end = 0;
  bool relative = false;  // "last week": says when and nothing else. "March 2025" may stand in a text, too
};

// The first of: today, yesterday, recently; this, last or past day, week, month, year, weekday; past N days…, N days…
// ago; a month with or without day and year, a year after "in". A month without a year is its latest one. May and March
// need a preposition or a number beside them. In Russian, Chinese, Japanese and Korean: today, yesterday, the day
// before; this and last week, month, year. Without `now` only what names a year is understood.
std::optional<TimeExpression> find_time_expression(std::string_view text, TimeMs now);

}  // namespace memd::search

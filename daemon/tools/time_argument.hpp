#pragma once

#include "schemas/error.hpp"
#include "schemas/time.hpp"
#include "store/text/time_expression.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memd::tools {

using search::RangeEnd;

// A time as search::read_time() reads it. invalid_argument names `argument` and says what to send.
Result<TimeMs> parse_time_argument(std::string_view argument, std::string_view text, RangeEnd end, const Clock& clock);

struct TimeSpan {
  TimeMs since = 0;  // inclusive; 0: open
  TimeMs until = 0;  // exclusive; 0: open
};

// Both ends; an empty range is invalid_argument.
Result<TimeSpan> parse_time_span(const std::optional<std::string>& since, const std::optional<std::string>& until,
                                 const Clock& clock);

}  // namespace memd::tools

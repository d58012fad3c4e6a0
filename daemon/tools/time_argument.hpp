#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/text/time_expression.hpp"

#include <optional>
#include <string>
#include <string_view>

// Times as people and models write them in a call. Any thread.
namespace memd::tools {

using search::RangeEnd;

// Parses a time with search::read_time(). Errc::invalid_argument names `argument` and says what to send.
Result<TimeMs> parse_time_argument(std::string_view argument, std::string_view text, RangeEnd end, const Clock& clock);

struct TimeSpan {
  TimeMs since = 0;  // inclusive; 0: open
  TimeMs until = 0;  // exclusive; 0: open
};

// Parses both ends. Errc::invalid_argument for an empty range and for a `since` in the future.
Result<TimeSpan> parse_time_span(const std::optional<std::string>& since, const std::optional<std::string>& until,
                                 const Clock& clock);

}  // namespace memd::tools

#include "daemon/tools/time_argument.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"

namespace memd::tools {

Result<TimeMs> parse_time_argument(std::string_view argument, std::string_view text, RangeEnd end, const Clock& clock) {
  if (const auto time = search::read_time(text, end, clock.now())) return *time;
  return Error(Errc::invalid_argument,
               std::string(argument) + ": \"" + std::string(text.substr(0, 60)) +
                   "\" is no time, send RFC 3339 (2026-02-09T06:00:00Z), a date (2026-02-09), a month (2026-02, "
                   "\"February\"), \"today\", \"yesterday\", \"last monday\", \"last week\" or a span back from now "
                   "(7d, 24h, \"2 weeks ago\"); days are of " +
                   time_zone_label());
}

Result<TimeSpan> parse_time_span(const std::optional<std::string>& since, const std::optional<std::string>& until,
                                 const Clock& clock) {
  TimeSpan span;
  if (since && !since->empty()) {
    MEMD_TRY_ASSIGN(span.since, parse_time_argument("since", *since, RangeEnd::since, clock));
  }
  if (until && !until->empty()) {
    MEMD_TRY_ASSIGN(span.until, parse_time_argument("until", *until, RangeEnd::until, clock));
  }
  if (span.since != 0 && span.until != 0 && span.since >= span.until)
    return Error(Errc::invalid_argument, "since: " + format_rfc3339(span.since) + " is not before until (" +
                                             format_rfc3339(span.until) + "), send an earlier since");
  if (span.since > clock.now())
    return Error(Errc::invalid_argument, "since: " + format_rfc3339(span.since) +
                                             " is still to come, send a time before now (" +
                                             format_rfc3339(clock.now()) + ")");
  return span;
}

}  // namespace memd::tools

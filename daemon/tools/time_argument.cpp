#include "daemon/tools/time_argument.hpp"

#include <algorithm>
#include <array>

namespace memd::tools {
namespace {

std::string lowered(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

struct Unit {
  std::string_view name;  // the plural has an s
  TimeMs ms;
};
constexpr TimeMs kMinute = 60'000;
constexpr std::array kUnits{
    Unit{"m", kMinute},          Unit{"min", kMinute},          Unit{"minute", kMinute},
    Unit{"h", 60 * kMinute},     Unit{"hr", 60 * kMinute},      Unit{"hour", 60 * kMinute},
    Unit{"d", kMsPerDay},        Unit{"day", kMsPerDay},        Unit{"w", 7 * kMsPerDay},
    Unit{"week", 7 * kMsPerDay}, Unit{"mo", 30 * kMsPerDay},    Unit{"month", 30 * kMsPerDay},
    Unit{"y", 365 * kMsPerDay},  Unit{"year", 365 * kMsPerDay},
};

// "7d", "2 weeks ago", "last 3 days", "an hour ago", "last week"
std::optional<TimeMs> parse_span(std::string_view s) {
  bool worded = false;
  for (const std::string_view prefix : {"last ", "past ", "-"})
    if (s.starts_with(prefix)) s.remove_prefix(prefix.size()), worded = true;
  if (s.ends_with(" ago")) s.remove_suffix(4), worded = true;
  TimeMs count = 0;
  std::size_t digits = 0;
  while (digits < s.size() && s[digits] >= '0' && s[digits] <= '9') {
    if (digits == 5) return std::nullopt;
    count = count * 10 + (s[digits++] - '0');
  }
  s.remove_prefix(digits);
  if (digits == 0) {
    if (!worded) return std::nullopt;
    count = 1;
    for (const std::string_view article : {"a ", "an ", "one "})
      if (s.starts_with(article)) s.remove_prefix(article.size());
  }
  while (s.starts_with(' '))
    s.remove_prefix(1);
  if (s.size() > 2 && s.ends_with('s')) s.remove_suffix(1);
  for (const Unit& u : kUnits)
    if (s == u.name) return count * u.ms;
  return std::nullopt;
}

bool is_date(std::string_view s) { return s.size() == 10 && s[4] == '-' && s[7] == '-'; }

}  // namespace

Result<TimeMs> parse_time_argument(std::string_view argument, std::string_view text, RangeEnd end, const Clock& clock) {
  const std::string s = lowered(text);
  const TimeMs now = clock.now();
  const TimeMs today = now - now % kMsPerDay;
  const TimeMs day = end == RangeEnd::until ? kMsPerDay : 0;
  if (s == "now") return now;
  if (s == "today") return today + day;
  if (s == "yesterday") return today - kMsPerDay + day;
  std::string upper = s;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c == 't' ? 'T' : c == 'z' ? 'Z' : c; });
  if (const auto t = parse_rfc3339(upper)) return *t + (is_date(s) ? day : 0);
  if (const auto back = parse_span(s)) return std::max<TimeMs>(now - *back, 1);
  return Error(Errc::invalid_argument,
               std::string(argument) + ": \"" + std::string(text.substr(0, 60)) +
                   "\" is no time, send RFC 3339 (2026-02-09T06:00:00Z), a date (2026-02-09), \"today\", \"yesterday\" "
                   "or a span back from now (7d, 24h, \"2 weeks ago\")");
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
  return span;
}

}  // namespace memd::tools

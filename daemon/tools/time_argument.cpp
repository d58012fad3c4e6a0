#include "daemon/tools/time_argument.hpp"

#include "schemas/ascii.hpp"
#include "schemas/local_time.hpp"
#include "store/text/time_expression.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace memd::tools {
namespace {

struct Unit {
  std::string_view name;  // the plural has an s
  TimeMs ms;
};
constexpr TimeMs kMinute = 60'000;
constexpr TimeMs kLastTime = 253'402'300'799'999;  // of the year 9999: RFC 3339 has four digits
constexpr std::array kUnits{
    Unit{"m", kMinute},          Unit{"min", kMinute},          Unit{"minute", kMinute},
    Unit{"h", 60 * kMinute},     Unit{"hr", 60 * kMinute},      Unit{"hour", 60 * kMinute},
    Unit{"d", kMsPerDay},        Unit{"day", kMsPerDay},        Unit{"w", 7 * kMsPerDay},
    Unit{"week", 7 * kMsPerDay}, Unit{"mo", 30 * kMsPerDay},    Unit{"month", 30 * kMsPerDay},
    Unit{"y", 365 * kMsPerDay},  Unit{"year", 365 * kMsPerDay},
};

constexpr std::array<std::string_view, 12> kNumbers{"one",   "two",   "three", "four", "five",   "six",
                                                    "seven", "eight", "nine",  "ten",  "eleven", "twelve"};

// "7d", "2 weeks ago", "last 3 days", "an hour ago", "two months", "last week"
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
  for (std::size_t i = 0; i < kNumbers.size() && digits == 0; ++i) {
    if (s.starts_with(kNumbers[i]) && s.substr(kNumbers[i].size()).starts_with(' ')) {
      s.remove_prefix(digits = kNumbers[i].size());
      count = static_cast<TimeMs>(i) + 1;
    }
  }
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

// What a question may say of a time, and nothing else: "this week", "last monday", "friday", "may 2026", "march",
// "2025".
std::optional<TimeRange> parse_words(const std::string& s, TimeMs now) {
  std::vector<std::string> readings{s, "in " + s};
  if (s.size() > 4 && s.ends_with("day")) readings.push_back("last " + s);
  for (const std::string& text : readings) {
    const auto found = search::find_time_expression(text, now);
    if (found && found->end == text.size() && found->first <= text.size() - s.size()) return found->range;
  }
  return std::nullopt;
}

// "2026-05"
std::optional<TimeRange> parse_month(std::string_view s) {
  if (s.size() != 7 || s[4] != '-') return std::nullopt;
  const auto first = parse_rfc3339(std::string(s) + "-01");  // as the calendar counts, whatever the zone
  if (!first) return std::nullopt;
  const auto behind = parse_rfc3339(format_rfc3339(*first + 31 * kMsPerDay).substr(0, 7) + "-01");
  return TimeRange{from_local(*first), from_local(behind.value_or(*first + 31 * kMsPerDay))};
}

// "today 14:00", "yesterday at 9:30"
std::optional<TimeMs> parse_day_and_time(std::string_view s, std::int64_t today) {
  for (const auto& [name, back] : {std::pair(std::string_view("today "), 0), {std::string_view("yesterday "), 1}}) {
    if (!s.starts_with(name)) continue;
    std::string_view time = s.substr(name.size());
    if (time.starts_with("at ")) time.remove_prefix(3);
    const std::string digits = (time.find(':') == 1 ? "0" : "") + std::string(time);
    return parse_local_time(format_rfc3339((today - back) * kMsPerDay).substr(0, 11) + digits);
  }
  return std::nullopt;
}

// "last week" as an end takes in all of it; "last 3 days" is a span back from now.
bool is_period(std::string_view s) {
  return (s.starts_with("last ") || s.starts_with("past ")) && s.find_first_of("0123456789") == std::string_view::npos;
}

}  // namespace

Result<TimeMs> parse_time_argument(std::string_view argument, std::string_view text, RangeEnd end, const Clock& clock) {
  const std::string s = ascii::lowered(text);
  const TimeMs now = clock.now();
  const std::int64_t today = local_day(now);
  const int day = end == RangeEnd::until ? 1 : 0;
  if (s == "now") return now;
  if (s == "today") return day_start(today + day);
  if (s == "yesterday") return day_start(today - 1 + day);
  if (s == "day before yesterday" || s == "the day before yesterday") return day_start(today - 2 + day);
  const auto end_of = [end](const TimeRange& range) {
    return end == RangeEnd::since ? std::max<TimeMs>(range.start, 1) : std::min(range.end, kLastTime);
  };
  std::string upper = s;
  std::replace(upper.begin(), upper.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(upper.size(), 10)), '/',
               '-');
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c == 't' ? 'T' : c == 'z' ? 'Z' : c; });
  if (const auto t = parse_local_time(upper))
    return is_date(upper) ? std::min(day_start(local_day(*t) + day), kLastTime) : *t;
  if (const auto month = parse_month(upper)) return end_of(*month);
  if (const auto t = parse_day_and_time(s, today)) return *t;
  const auto words = parse_words(s, now);
  if (end == RangeEnd::until && words && is_period(s)) return end_of(*words);
  if (const auto back = parse_span(s)) return std::max<TimeMs>(now - *back, 1);
  if (words) return end_of(*words);
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

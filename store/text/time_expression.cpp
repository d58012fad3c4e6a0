#include "store/text/time_expression.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "store/text/script.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <vector>

namespace memd::search {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr auto kMonths =
    std::to_array<std::string_view>({"january", "february", "march", "april", "may", "june", "july", "august",
                                     "september", "october", "november", "december"});
constexpr auto kWeekdays =
    std::to_array<std::string_view>({"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"});
constexpr auto kNumbers = std::to_array<std::string_view>(
    {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"});
constexpr int kRecentDays = 14;

struct Word {
  std::string text;  // lower case
  std::size_t first;
  std::size_t end;
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> out;
  const auto is_word = [](char c) { return ascii::is_alnum(c) || ascii::is_non_ascii(c); };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    const std::size_t first = at;
    while (at < text.size() && is_word(text[at]))
      ++at;
    out.push_back({ascii::lowered(text.substr(first, at - first)), first, at});
  }
  return out;
}

template <std::size_t N>
std::optional<int> index_in(const std::array<std::string_view, N>& names, std::string_view word) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) return std::nullopt;
  return static_cast<int>(found - names.begin());
}

std::optional<int> number_of(std::string_view word) {
  if (word == "a" || word == "an") return 1;
  if (const auto named = index_in(kNumbers, word)) return named;
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || word.size() > 4) return std::nullopt;
  const auto ending = word.substr(static_cast<std::size_t>(end - word.data()));
  if (!ending.empty() && ending != "st" && ending != "nd" && ending != "rd" && ending != "th") return std::nullopt;
  return value;
}

std::optional<int> year_of(std::string_view word) {
  const auto value = number_of(word);
  return word.size() == 4 && value && *value >= 1990 && *value <= 2100 ? value : std::nullopt;
}

std::optional<int> month_of(std::string_view word) {
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (word == kMonths[i] || (word.size() == 3 && kMonths[i].starts_with(word)) || (i == 8 && word == "sept"))
      return static_cast<int>(i) + 1;
  return std::nullopt;
}

enum class Unit { none, day, week, month, year };

Unit unit_of(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  if (word == "day" || word == "night" || word == "morning" || word == "evening") return Unit::day;
  if (word == "week") return Unit::week;
  if (word == "month") return Unit::month;
  return word == "year" ? Unit::year : Unit::none;
}

TimeMs ms_of(sys_days day) { return day_start(day.time_since_epoch().count()); }
TimeRange between(sys_days first, sys_days end) { return {ms_of(first), ms_of(end)}; }

sys_days month_start(int year, int month) {
  const int months = year * 12 + month - 1;
  return sys_days(std::chrono::year(months / 12) / std::chrono::month(static_cast<unsigned>(months % 12 + 1)) / 1);
}

// A period named in a language other than English.
struct Period {
  WordClass names;
  Unit unit;
  int back;
};
constexpr std::array kPeriods{
    Period{WordClass::day_before_yesterday, Unit::day, 2},
    Period{WordClass::yesterday, Unit::day, 1},
    Period{WordClass::today, Unit::day, 0},
    Period{WordClass::last_week, Unit::week, 1},
    Period{WordClass::this_week, Unit::week, 0},
    Period{WordClass::last_month, Unit::month, 1},
    Period{WordClass::this_month, Unit::month, 0},
    Period{WordClass::last_year, Unit::year, 1},
};

class Finder {
 public:
  Finder(std::string_view text, TimeMs now)
      : words_(words_of(text)), now_(now), today_(days(local_day(now))), date_(today_) {}

  std::optional<TimeExpression> find() const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (now_ > 0)
        if (auto found = relative(i)) return found;
      if (auto found = absolute(i)) return found;
    }
    return std::nullopt;
  }

  // Returns the longest of the expressions that start first.
  std::optional<TimeExpression> find_in_other_languages(std::string_view text) const {
    if (now_ == 0 || !tokenizer::has_other_scripts(text)) return std::nullopt;
    const std::string small = tokenizer::small_cyrillic(text);
    std::optional<TimeExpression> out;
    for (const Period& period : kPeriods)
      for (const std::string& name : words(period.names)) {
        const std::size_t at = small.find(name);
        const std::size_t end = at + name.size();
        if (at == std::string::npos || (out && (at > out->first || (at == out->first && end < out->end)))) continue;
        const bool cyrillic = name[0] == '\xD0' || name[0] == '\xD1';
        if (cyrillic && (is_word_byte(small, at - 1) || is_word_byte(small, end))) continue;
        out = TimeExpression{unit_ago(period.unit, period.back), at, end, true};
      }
    return out;
  }

 private:
  static bool is_word_byte(std::string_view text, std::size_t i) {
    return i < text.size() && ascii::is_non_ascii(text[i]);
  }
  std::string_view word(std::size_t i) const { return i < words_.size() ? std::string_view(words_[i].text) : ""; }
  int year() const { return static_cast<int>(date_.year()); }
  int month() const { return static_cast<int>(static_cast<unsigned>(date_.month())); }

  TimeExpression expression(TimeRange range, std::size_t first, std::size_t last, bool is_relative) const {
    return {range, words_[first].first, words_[last].end, is_relative};
  }

  // Returns the whole unit `back` units ago; weeks start on Monday.
  TimeRange unit_ago(Unit unit, int back) const {
    back = std::min(back, 1000);
    if (unit == Unit::day) return between(today_ - days(back), today_ - days(back - 1));
    if (unit == Unit::week) {
      const auto weekday = std::chrono::weekday(today_).iso_encoding();
      const sys_days monday = today_ - days(weekday - 1) - days(7 * back);
      return between(monday, monday + days(7));
    }
    if (unit == Unit::month)
      return between(month_start(year(), month() - back), month_start(year(), month() - back + 1));
    return between(month_start(year() - back, 1), month_start(year() - back + 1, 1));
  }

  TimeRange lately(Unit unit, int count) const {
    constexpr std::array<int, 5> kDays{0, 1, 7, 30, 365};
    const int length = kDays[static_cast<std::size_t>(unit)] * std::min(count, 1000);
    return between(today_ - days(length), today_ + days(1));
  }

  std::optional<TimeExpression> relative(std::size_t i) const {
    const auto w = word(i);
    if (w == "today") return expression(unit_ago(Unit::day, 0), i, i, true);
    if (w == "yesterday") return expression(unit_ago(Unit::day, 1), i, i, true);
    if (w == "recently" || w == "lately") return expression(lately(Unit::day, kRecentDays), i, i, true);
    const bool this_one = w == "this";
    const bool last_one = w == "last" || w == "past" || w == "previous";
    if (this_one || last_one) {
      if (const Unit unit = unit_of(word(i + 1)); unit != Unit::none && !word(i + 1).ends_with("s"))
        return expression(unit_ago(unit, this_one ? 0 : 1), i, i + 1, true);
      if (const auto weekday = index_in(kWeekdays, word(i + 1)); last_one && weekday) {
        const int today = static_cast<int>(std::chrono::weekday(today_).c_encoding());
        return expression(unit_ago(Unit::day, (today - *weekday + 6) % 7 + 1), i, i + 1, true);
      }
      if (const auto n = number_of(word(i + 1)); last_one && n)
        if (const Unit unit = unit_of(word(i + 2)); unit != Unit::none)
          return expression(lately(unit, *n), i, i + 2, true);
      return std::nullopt;
    }
    if (const auto n = number_of(w))
      if (const Unit unit = unit_of(word(i + 1)); unit != Unit::none && word(i + 2) == "ago")
        return expression(unit_ago(unit, *n), i, i + 2, true);
    return std::nullopt;
  }

  std::optional<TimeExpression> absolute(std::size_t i) const {
    const bool introduced = i > 0 && words(WordClass::before_date).has(word(i - 1));
    if (const auto y = year_of(word(i)); y && introduced)
      return expression(between(month_start(*y, 1), month_start(*y + 1, 1)), i, i, false);
    const auto m = month_of(word(i));
    if (!m) return std::nullopt;
    const bool may_be_a_verb = *m == 3 || *m == 5 || word(i).size() == 3;
    std::size_t first = i;
    std::size_t last = i;
    std::optional<int> day;
    if (const auto after = number_of(word(i + 1)); after && *after >= 1 && *after <= 31 && word(i + 1) != "a") {
      day = after;
      last = i + 1;
    } else if (const auto before = i > 0 ? number_of(word(i - 1)) : std::nullopt;
               before && *before >= 1 && *before <= 31 && word(i - 1) != "a") {
      day = before;
      first = i - 1;
    }
    const auto named_year = year_of(word(last + 1));
    if (named_year) ++last;
    if (may_be_a_verb && !introduced && !day && !named_year) return std::nullopt;
    if (!named_year && now_ == 0) return std::nullopt;
    int y = named_year.value_or(year());
    if (!named_year && *m > month()) --y;
    const sys_days begin = month_start(y, *m);
    if (!day) return expression(between(begin, month_start(y, *m + 1)), first, last, false);
    return expression(between(begin + days(*day - 1), begin + days(*day)), first, last, false);
  }

  std::vector<Word> words_;
  TimeMs now_;
  sys_days today_;
  year_month_day date_;
};

}  // namespace

std::optional<TimeExpression> find_time_expression(std::string_view text, TimeMs now) {
  const Finder finder(text, now);
  const auto found = finder.find();
  return found ? found : finder.find_in_other_languages(text);
}

namespace {

struct SpanUnit {
  std::string_view name;  // the plural adds an s
  TimeMs ms;
};
constexpr TimeMs kMinute = 60'000;
constexpr TimeMs kLastTime = 253'402'300'799'999;  // end of the year 9999: RFC 3339 has four digits
constexpr std::array kSpanUnits{
    SpanUnit{"m", kMinute},          SpanUnit{"min", kMinute},          SpanUnit{"minute", kMinute},
    SpanUnit{"h", 60 * kMinute},     SpanUnit{"hr", 60 * kMinute},      SpanUnit{"hour", 60 * kMinute},
    SpanUnit{"d", kMsPerDay},        SpanUnit{"day", kMsPerDay},        SpanUnit{"w", 7 * kMsPerDay},
    SpanUnit{"week", 7 * kMsPerDay}, SpanUnit{"mo", 30 * kMsPerDay},    SpanUnit{"month", 30 * kMsPerDay},
    SpanUnit{"y", 365 * kMsPerDay},  SpanUnit{"year", 365 * kMsPerDay},
};

// "7d", "2 weeks ago", "last 3 days", "an hour ago", "two months", "last week"
std::optional<TimeMs> parse_span(std::string_view s) {
  bool worded = false;
  for (const std::string_view prefix : {"last ", "past ", "-"})
    if (s.starts_with(prefix)) s.remove_prefix(prefix.size()), worded = true;
  if (s.ends_with(" ago")) s.remove_suffix(4), worded = true;
  TimeMs count = 0;
  std::size_t digits = 0;
  while (digits < s.size() && ascii::is_digit(s[digits])) {
    if (digits == 5) return std::nullopt;
    count = count * 10 + (s[digits++] - '0');
  }
  s.remove_prefix(digits);
  for (std::size_t i = 1; i < kNumbers.size() && digits == 0; ++i) {
    if (s.starts_with(kNumbers[i]) && s.substr(kNumbers[i].size()).starts_with(' ')) {
      s.remove_prefix(digits = kNumbers[i].size());
      count = static_cast<TimeMs>(i);
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
  for (const SpanUnit& u : kSpanUnits)
    if (s == u.name) return count * u.ms;
  return std::nullopt;
}

bool is_date(std::string_view s) { return s.size() == 10 && s[4] == '-' && s[7] == '-'; }

// Parses a text that consists of a time expression: "this week", "last monday", "friday", "may 2026", "march", "2025".
std::optional<TimeRange> parse_words(const std::string& s, TimeMs now) {
  std::vector<std::string> readings{s, "in " + s};
  if (s.size() > 4 && s.ends_with("day")) readings.push_back("last " + s);
  for (const std::string& text : readings) {
    const auto found = find_time_expression(text, now);
    if (found && found->end == text.size() && found->first <= text.size() - s.size()) return found->range;
  }
  return std::nullopt;
}

// "2026-05"
std::optional<TimeRange> parse_month(std::string_view s) {
  if (s.size() != 7 || s[4] != '-') return std::nullopt;
  const auto first = parse_rfc3339(std::string(s) + "-01");  // calendar arithmetic, independent of the time zone
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

// Returns whether it is a whole period: "last week" as an end includes all of it, while "last 3 days" is a span back
// from now.
bool is_period(std::string_view s) {
  return (s.starts_with("last ") || s.starts_with("past ")) && s.find_first_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<TimeMs> read_time(std::string_view text, RangeEnd end, TimeMs now) {
  const std::string s = ascii::lowered(ascii::trimmed(text));
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
  return std::nullopt;
}

}  // namespace memd::search

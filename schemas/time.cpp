#include "schemas/time.hpp"

#include <chrono>
#include <cstdio>

namespace memd {
namespace {

// Reads exactly `digits` decimal digits from the front of `s`; -1 if they are not there.
int take_digits(std::string_view& s, std::size_t digits) {
  if (s.size() < digits) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (s[i] < '0' || s[i] > '9') return -1;
    value = value * 10 + (s[i] - '0');
  }
  s.remove_prefix(digits);
  return value;
}

bool take_char(std::string_view& s, char c) {
  if (s.empty() || s.front() != c) return false;
  s.remove_prefix(1);
  return true;
}

std::optional<int> take_fraction_ms(std::string_view& s) {
  int ms = 0;
  int scale = 100;
  std::size_t n = 0;
  while (n < s.size() && s[n] >= '0' && s[n] <= '9') {
    ms += (s[n] - '0') * scale;
    scale /= 10;
    ++n;
  }
  if (n == 0) return std::nullopt;
  s.remove_prefix(n);
  return ms;
}

std::optional<int> take_offset_minutes(std::string_view& s) {
  if (s.empty() || take_char(s, 'Z') || take_char(s, 'z')) return 0;
  const int sign = s.front() == '+' ? 1 : s.front() == '-' ? -1 : 0;
  if (sign == 0) return std::nullopt;
  s.remove_prefix(1);
  const int h = take_digits(s, 2);
  take_char(s, ':');
  const int m = take_digits(s, 2);
  if (h < 0 || h > 23 || m < 0 || m > 59) return std::nullopt;
  return sign * (h * 60 + m);
}

class SystemClock final : public Clock {
 public:
  TimeMs now() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

std::string format_rfc3339(TimeMs t) {
  if (t == 0) return {};
  using namespace std::chrono;
  const sys_time<milliseconds> point{milliseconds(t)};
  const auto day = floor<days>(point);
  const year_month_day ymd{day};
  const hh_mm_ss hms{point - day};
  char buf[40];
  const int n = std::snprintf(buf, sizeof buf, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(ymd.year()),
                              static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                              static_cast<int>(hms.hours().count()), static_cast<int>(hms.minutes().count()),
                              static_cast<int>(hms.seconds().count()), static_cast<int>(hms.subseconds().count()));
  return std::string(buf, static_cast<std::size_t>(n));
}

std::optional<TimeMs> parse_rfc3339(std::string_view s) {
  using namespace std::chrono;
  const int y = take_digits(s, 4);
  if (y < 0 || !take_char(s, '-')) return std::nullopt;
  const int mo = take_digits(s, 2);
  if (mo < 0 || !take_char(s, '-')) return std::nullopt;
  const int d = take_digits(s, 2);
  if (d < 0) return std::nullopt;
  const year_month_day ymd{year(y), month(static_cast<unsigned>(mo)), day(static_cast<unsigned>(d))};
  if (!ymd.ok()) return std::nullopt;
  TimeMs ms = duration_cast<milliseconds>(sys_days(ymd).time_since_epoch()).count();
  if (s.empty()) return ms;

  if (!take_char(s, 'T') && !take_char(s, 't') && !take_char(s, ' ')) return std::nullopt;
  const int h = take_digits(s, 2);
  if (h < 0 || h > 23 || !take_char(s, ':')) return std::nullopt;
  const int mi = take_digits(s, 2);
  if (mi < 0 || mi > 59) return std::nullopt;
  int sec = 0;
  if (take_char(s, ':')) {
    sec = take_digits(s, 2);
    if (sec < 0 || sec > 60) return std::nullopt;  // 60: a leap second, taken as the next second
  }
  ms += (h * 3600LL + mi * 60LL + sec) * 1000;
  if (take_char(s, '.')) {
    const auto fraction = take_fraction_ms(s);
    if (!fraction) return std::nullopt;
    ms += *fraction;
  }
  const auto offset = take_offset_minutes(s);
  if (!offset || !s.empty()) return std::nullopt;
  ms -= *offset * 60'000LL;
  // An offset or a leap second can leave the years that the format can write.
  static constexpr TimeMs kFirst = sys_days(year(0) / 1 / 1).time_since_epoch() / milliseconds(1);
  static constexpr TimeMs kEnd = sys_days(year(10000) / 1 / 1).time_since_epoch() / milliseconds(1);
  if (ms < kFirst || ms >= kEnd) return std::nullopt;
  return ms;
}

}  // namespace memd

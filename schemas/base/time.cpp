#include "schemas/base/time.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

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
  // An offset or a leap second can move the time out of the range of years that the format can write.
  static constexpr TimeMs kFirst = sys_days(year(0) / 1 / 1).time_since_epoch() / milliseconds(1);
  static constexpr TimeMs kEnd = sys_days(year(10000) / 1 / 1).time_since_epoch() / milliseconds(1);
  if (ms < kFirst || ms >= kEnd) return std::nullopt;
  return ms;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUtc = "UTC";

struct Zone {
  bool utc = true;
  std::string name{kUtc};  // empty: not known
};

Zone& zone() {
  static Zone one;  // written before threads start
  return one;
}

// Returns the directory of the system's zone files.
fs::path zone_directory() {
  const char* set = std::getenv("TZDIR");
  return set != nullptr && *set != '\0' ? set : "/usr/share/zoneinfo";
}

bool is_name(std::string_view name) {
  const auto fits = [](char c) { return ascii::is_word(c) || c == '-' || c == '+' || c == '/'; };
  return !name.empty() && name.front() != '/' && std::all_of(name.begin(), name.end(), fits);
}

TimeMs offset_at(TimeMs t) {
  if (zone().utc) return 0;
  const std::time_t seconds = (t >= 0 ? t : t - 999) / 1000;
  std::tm parts{};
  return ::localtime_r(&seconds, &parts) != nullptr ? TimeMs{parts.tm_gmtoff} * 1000 : 0;
}

}  // namespace

bool is_time_zone(const std::string& name) {
  std::error_code ec;
  return name == kUtc || (is_name(name) && fs::is_regular_file(zone_directory() / name, ec));
}

namespace {

// Returns the zone name from $TZ, else from the target of the link /etc/localtime: ".../zoneinfo/Europe/Berlin". Empty
// if there is none.
std::string system_zone_name() {
  const char* set = std::getenv("TZ");
  if (set != nullptr && *set != '\0') {
    std::string name = *set == ':' ? set + 1 : set;
    return is_time_zone(name) ? name : std::string();
  }
  std::error_code ec;
  const std::string file = fs::canonical("/etc/localtime", ec).string();
  constexpr std::string_view kFolder = "/zoneinfo/";
  const auto at = file.find(kFolder);
  return ec || at == std::string::npos ? std::string() : file.substr(at + kFolder.size());
}

}  // namespace

void use_time_zone(const std::string& name) {
  if (is_time_zone(name)) ::setenv("TZ", name.c_str(), 1);
  ::tzset();
  zone() = name == kUtc ? Zone{} : Zone{false, system_zone_name()};
}

std::string time_zone_label() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const TimeMs minutes = offset_at(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) / 60'000;
  const std::string& name = zone().name;
  if (name == kUtc || name == "Etc/UTC") return std::string(kUtc);
  char offset[40];
  const TimeMs size = minutes < 0 ? -minutes : minutes;
  std::snprintf(offset, sizeof offset, "UTC%c%02d:%02d", minutes < 0 ? '-' : '+', static_cast<int>(size / 60),
                static_cast<int>(size % 60));
  if (!name.empty()) return name + " (" + offset + ")";
  return minutes == 0 ? std::string(kUtc) : offset;
}

TimeMs to_local(TimeMs t) { return t + offset_at(t); }

TimeMs from_local(TimeMs wall) {
  // No zone is more than a day from UTC, and none changes its offset twice within two days.
  const TimeMs before = wall - offset_at(wall - kMsPerDay);
  const TimeMs behind = wall - offset_at(wall + kMsPerDay);
  return to_local(before) == wall || to_local(behind) != wall ? before : behind;
}

std::int64_t local_day(TimeMs t) {
  const TimeMs wall = to_local(t);
  return wall / kMsPerDay - (wall % kMsPerDay < 0 ? 1 : 0);
}

TimeMs day_start(std::int64_t day) { return from_local(day * kMsPerDay); }

std::vector<ClockOffset> clock_offsets(TimeMs from, TimeMs to) {
  std::vector<ClockOffset> out{{from, offset_at(from)}};
  for (TimeMs before = from; before < to;) {
    const TimeMs after = before + kMsPerDay;
    if (offset_at(after) == out.back().ahead) {
      before = after;
      continue;
    }
    TimeMs same = before;
    TimeMs changed = after;
    while (changed - same > 1) {
      const TimeMs middle = same + (changed - same) / 2;
      (offset_at(middle) == out.back().ahead ? same : changed) = middle;
    }
    out.push_back({changed, offset_at(changed)});
    before = changed;
  }
  return out;
}

std::optional<TimeMs> parse_local_time(std::string_view text) {
  constexpr std::size_t kDate = 10;
  const auto t = parse_rfc3339(text);
  const bool has_offset = text.size() > kDate && text.find_first_of("Zz+-", kDate) != std::string_view::npos;
  return t && !has_offset ? from_local(*t) : t;
}

std::string format_local_minute(TimeMs t) {
  if (t == 0) return {};
  std::string out = format_rfc3339(to_local(t)).substr(0, 16);
  if (out.size() > 10) out[10] = ' ';
  return out;
}

}  // namespace memd

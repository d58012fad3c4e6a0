#include "schemas/local_time.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace memd {
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

// Where the system keeps its zones.
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

// Of the file that a link to a zone ends in: ".../zoneinfo/Europe/Berlin".
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
  // No zone is more than a day off, and none changes its offset twice within two.
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

#include "daemon/cli/render/look.hpp"
#include "schemas/base/time.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>

namespace memd::cli {
namespace {

// Returns the value of an environment variable; empty if it is not set.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::size_t columns_told() {
  const std::string_view text = variable("COLUMNS");
  std::size_t out = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  constexpr std::size_t kLeast = 20;
  return failed == std::errc() && end == text.data() + text.size() && out >= kLeast ? out : 0;
}

constexpr const char* kPager = "less";

std::string pager_of(const LookOptions& options) {
  if (options.no_pager) return {};
  for (const char* name : {"MEMD_PAGER", "PAGER"})
    if (const char* told = std::getenv(name); told != nullptr) return std::string_view(told) == "cat" ? "" : told;
  return kPager;
}

class StandingClock final : public Clock {
 public:
  explicit StandingClock(TimeMs time) : time_(time) {}
  TimeMs now() const override { return time_; }

 private:
  TimeMs time_;
};

}  // namespace

const Clock& command_clock() {
  static const std::optional<TimeMs> told = parse_rfc3339(variable("MEMD_NOW"));
  static const StandingClock standing(told.value_or(0));
  return told ? static_cast<const Clock&>(standing) : system_clock();
}

Look look_of_stdout(const LookOptions& options) {
  Look look;
  look.is_terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool may_have_colour = look.is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  look.has_colour = options.colour == "always" || (options.colour == "auto" && may_have_colour);
  look.columns = columns_told();
  if (look.is_terminal) {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
      look.columns = size.ws_col;
      look.rows = size.ws_row;
    }
    constexpr std::size_t kColumns = 80;
    if (look.columns == 0) look.columns = kColumns;
    look.pager = pager_of(options);
  }
  look.now = command_clock().now();
  return look;
}

std::string ago(TimeMs then, TimeMs now) {
  if (then == 0) return {};
  constexpr TimeMs kMinute = 60'000;
  constexpr TimeMs kHour = 60 * kMinute;
  constexpr TimeMs kWeek = 7 * kMsPerDay;
  const TimeMs passed = now - then;
  const auto told = [passed](TimeMs unit, const char* name) { return std::to_string(passed / unit) + name; };
  if (passed < -kMinute || passed >= 6 * kWeek) return format_local_minute(then).substr(0, 10);
  if (passed < kMinute) return "just now";
  if (passed < kHour) return told(kMinute, " min ago");
  if (passed < kMsPerDay) return told(kHour, " h ago");
  if (passed < kWeek) return told(kMsPerDay, " d ago");
  return told(kWeek, " w ago");
}

std::string ago_in_days(TimeMs day, TimeMs now) {
  const std::int64_t passed = local_day(now) - local_day(day);
  if (passed == 0) return "today";
  if (passed == 1) return "yesterday";
  return ago(day, now);
}

std::string when(std::string_view rfc3339, const Look& look) {
  const TimeMs time = parse_rfc3339(rfc3339).value_or(0);
  return look.is_terminal ? ago(time, look.now) : format_local_minute(time);
}

std::string when_exactly(std::string_view rfc3339, const Look& look) {
  const TimeMs time = parse_rfc3339(rfc3339).value_or(0);
  std::string out = format_local_minute(time);
  if (!look.is_terminal || time == 0) return out;
  const std::string relative = ago(time, look.now);
  return out.starts_with(relative) ? out : out + ", " + relative;
}

}  // namespace memd::cli

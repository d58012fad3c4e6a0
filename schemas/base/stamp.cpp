#include "schemas/base/stamp.hpp"
#include "schemas/base/time.hpp"

#include <charconv>
#include <chrono>

namespace memd {
namespace {

// Reads the year of "+010000-01-01T…"; 0 if the text does not begin so.
int long_year(std::string_view text) {
  constexpr std::size_t kDigits = 6;
  if (text.size() < kDigits + 2 || text.front() != '+' || text[kDigits + 1] != '-') return 0;
  int year = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 1 + kDigits, year);
  return error == std::errc() && end == text.data() + 1 + kDigits ? year : 0;
}

}  // namespace

TimeMs from_unix_number(double number) {
  // The largest number of seconds is in the year 5138; as milliseconds it is in 1973.
  constexpr double kSeconds = 1e11;
  constexpr double kMost = 9e18;
  if (!(number > 0) || number >= kMost) return 0;
  double ms = number * 1000;
  for (double limit = kSeconds; number >= limit && limit < kMost; limit *= 1000)
    ms /= 1000;
  return static_cast<TimeMs>(ms);
}

std::optional<TimeMs> parse_stamp(std::string_view text) {
  using namespace std::chrono;
  constexpr int kFirstLongYear = 10'000;
  if (const auto time = parse_rfc3339(text)) return time;
  if (long_year(text) >= kFirstLongYear)
    return sys_days(year(kFirstLongYear) / 1 / 1).time_since_epoch() / milliseconds(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const TimeMs time = from_unix_number(number);
  return time == 0 ? std::nullopt : std::optional(time);
}

}  // namespace memd

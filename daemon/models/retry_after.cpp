#include "daemon/models/retry_after.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

namespace memd::provider {

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view header, TimeMs now) {
  std::int64_t seconds = 0;
  const auto [end, ec] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (ec == std::errc{} && end == header.data() + header.size() && seconds >= 0)
    return std::chrono::seconds(std::min<std::int64_t>(seconds, 86'400));
  std::tm date{};
  std::istringstream in{std::string(header)};
  in.imbue(std::locale::classic());
  in >> std::get_time(&date, "%a, %d %b %Y %H:%M:%S GMT");
  if (in.fail()) return std::nullopt;
  const TimeMs at = static_cast<TimeMs>(::timegm(&date)) * 1000;
  return std::chrono::milliseconds(std::clamp<TimeMs>(at - now, 0, kMsPerDay));
}

}  // namespace memd::provider

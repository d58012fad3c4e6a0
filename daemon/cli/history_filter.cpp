#include "daemon/cli/history_filter.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/tools/time_argument.hpp"
#include "schemas/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace memd::cli {

Result<QueryFilter> history_filter(const TypedFilter& typed, std::string_view platform_option, const Config& config) {
  const auto disabled = disabled_platforms(config);
  QueryFilter filter;
  filter.project = typed.project;
  MEMD_TRY_ASSIGN(const auto span, tools::parse_time_span(typed.since, typed.until, system_clock()));
  filter.since = span.since;
  filter.until = span.until;
  const auto active = [&](Platform p) { return std::ranges::find(disabled, p) == disabled.end(); };
  if (!typed.platform.empty()) {
    const auto platform = parse_platform(typed.platform);
    if (!platform)
      return Error(Errc::invalid_argument,
                   fmt::format("{}: \"{}\" is no agent memd knows: send one of {}", platform_option, typed.platform,
                               fmt::join(platforms() | std::views::transform(&PlatformInfo::key), ", ")));
    if (!active(*platform))
      return Error(Errc::invalid_argument,
                   fmt::format("{}: {} is disabled in the configuration", platform_option, typed.platform));
    filter.platforms = {*platform};
  } else if (!std::ranges::all_of(platform_ids(), active)) {
    std::ranges::copy_if(platform_ids(), std::back_inserter(filter.platforms), active);
    filter.no_platform = filter.platforms.empty();
  }
  return filter;
}

Result<usage::PriceTable> prices_in_force(const Config& config, const std::filesystem::path& file) {
  usage::PriceTable out;
  if (!config.prices.empty()) MEMD_TRY(out.add_own(config.prices));
  if (!file.empty()) MEMD_TRY(out.add_own(file));
  return out;
}

}  // namespace memd::cli

#pragma once

#include "daemon/host/settings.hpp"
#include "daemon/usage/prices.hpp"
#include "schemas/query.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace memd::cli {

// The part of the history that options of a command select, as typed.
struct TypedFilter {
  std::string project;
  std::string platform;
  std::optional<std::string> since;
  std::optional<std::string> until;
};

// Leaves out platforms that the configuration disables, as the answers of tools do. `platform_option`: the option's
// name, for messages.
Result<QueryFilter> history_filter(const TypedFilter& typed, std::string_view platform_option, const Config& config);

// The prices of the configuration and of `file` (empty: none), before the built-in ones.
Result<usage::PriceTable> prices_in_force(const Config& config, const std::filesystem::path& file);

}  // namespace memd::cli

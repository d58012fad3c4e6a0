#include "schemas/memory_path_policy.hpp"

namespace memd {

std::string_view to_string(MemoryPathMode m) {
  return m == MemoryPathMode::platform_opt_in ? "platform_opt_in" : "legacy_first";
}

std::optional<MemoryPathMode> parse_memory_path_mode(std::string_view text) {
  for (const auto m : {MemoryPathMode::legacy_first, MemoryPathMode::platform_opt_in})
    if (to_string(m) == text) return m;
  return std::nullopt;
}

const std::string& MemoryPathPolicy::write_path() const {
  const bool platform = mode == MemoryPathMode::platform_opt_in && opt_in_enabled && platform_path;
  return platform ? *platform_path : legacy_path;
}

}  // namespace memd

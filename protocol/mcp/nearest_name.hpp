#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace memd::mcp {

// The candidate a writer most likely meant: at most a third of its letters differ, case aside, or one contains the
// other. nullopt when nothing is near.
std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace memd::mcp

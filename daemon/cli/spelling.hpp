#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd::cli {

// The name that `typed` was likely meant to be; empty: none is near. One slip (a letter more, less, another one, two
// exchanged) of a short name, two of a longer one, or its beginning. Pure.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names);

}  // namespace memd::cli

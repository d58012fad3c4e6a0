#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd::cli {

// Returns the name that `typed` was probably meant to be; empty: none is close. Accepts one edit (insertion, deletion,
// replacement, transposition) in a short name, two in a longer one, or a prefix. Pure.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names);

}  // namespace memd::cli

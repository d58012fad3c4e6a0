#pragma once

#include <string_view>

namespace memd {

std::string_view version();  // "0.1.0"

// Whether version `a` is older than `b`, compared number by number. A text that is not a version, such as an empty one,
// is older than all.
bool is_older(std::string_view a, std::string_view b);

}  // namespace memd

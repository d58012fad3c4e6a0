#pragma once

#include <string_view>

namespace memd {

std::string_view version();  // "0.1.0"

// Whether version `a` is before `b`, number by number. Text that is no version, such as none, is before all.
bool is_older(std::string_view a, std::string_view b);

}  // namespace memd

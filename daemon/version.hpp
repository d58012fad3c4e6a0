#pragma once

#include <string_view>

namespace memd {

std::string_view version();  // "0.1.0"

}  // namespace memd

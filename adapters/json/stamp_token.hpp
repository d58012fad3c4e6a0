#pragma once

#include "adapters/json/json_text.hpp"
#include "schemas/base/stamp.hpp"

#include <string_view>

namespace memd::json {

// Returns a time as it is written, in a string or as a number; empty for other tokens.
inline std::string_view stamp_body(std::string_view token) { return is_number(token) ? token : string_body(token); }

}  // namespace memd::json

#pragma once

#include "schemas/time.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace memd::provider {

// The header of RFC 9110, 10.2.3: seconds, or a date in GMT. Nothing when it is neither.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view header, TimeMs now);

}  // namespace memd::provider

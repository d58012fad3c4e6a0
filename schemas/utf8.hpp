#pragma once

#include <cstddef>
#include <string_view>

namespace memd {

// Length of the well-formed UTF-8 sequence at the start of `s` (which is not empty and not ASCII), 0 if there is none.
std::size_t utf8_length(std::string_view s);

}  // namespace memd

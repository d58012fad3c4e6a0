#pragma once

#include <string>
#include <string_view>

namespace memd::json {

// Returns the bytes of base64 in either alphabet, up to its padding. Empty when the text is none.
std::string base64_decoded(std::string_view text);

}  // namespace memd::json

#pragma once

#include <string>
#include <string_view>

namespace memd::mcp {

// 32 hexadecimal digits that nobody can guess. Throws ErrorException where the system gives no random numbers.
std::string random_id();
// The first 32 hexadecimal digits of the SHA-256 of `text`.
std::string digest(std::string_view text);

}  // namespace memd::mcp

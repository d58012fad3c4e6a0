#pragma once

#include <string>
#include <string_view>

namespace memd::gemini {

// SHA-256 in lower case hexadecimal digits: how Gemini CLI names the folder of a project.
std::string sha256_hex(std::string_view bytes);

}  // namespace memd::gemini

#pragma once

#include <string_view>

namespace memd::tools {

// What the server tells a model about itself at the handshake; at most 2,048 characters.
std::string_view server_instructions();

}  // namespace memd::tools

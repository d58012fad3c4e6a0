#pragma once

#include "store/text/redaction/look_ahead.hpp"
#include "store/text/redaction/secret_pattern.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

// Random words that no rule knows and no sensitive name is beside: the value of a name that tells a service
// (`asana = "…"`) or nothing, the argument of a call (`new Client("…")`), a word of a sentence. Pure; thread-safe.
namespace memd::redaction {

// A run of at least kLongRun letters and digits is at [begin, end). Appends the token that it is in. `ahead` belongs to
// the text.
void find_bare_token(std::string_view text, std::size_t begin, std::size_t end, LookAhead& ahead,
                     std::vector<Secret>& out);

}  // namespace memd::redaction

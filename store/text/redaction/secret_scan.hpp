#pragma once

#include "store/text/redaction/assignment.hpp"

#include <cstddef>
#include <string_view>

namespace memd::redaction {

// The first secret whose trigger byte stands at or behind `at`, which moves there; it begins at `floor` at the
// earliest. None: `at` is the size of the text. `doubtful` is set when something looked like the beginning of a secret
// and was none, as escape sequences in the text would have it.
Secret next_secret(std::string_view text, std::size_t& at, std::size_t floor);
Secret next_secret(std::string_view text, std::size_t& at, std::size_t floor, bool& doubtful);

}  // namespace memd::redaction

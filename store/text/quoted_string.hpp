#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memd::continuity {

// The JSON string that begins with the quote at `at`, with blanks for line breaks and tabs; `at` moves behind its end.
// As far as it goes where it is cut. Half of a surrogate pair is U+FFFD.
std::string read_quoted(std::string_view text, std::size_t& at);

}  // namespace memd::continuity

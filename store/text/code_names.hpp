#pragma once

#include <functional>
#include <string_view>

// Names of code in prose, commands and sources. ASCII; O(n).
namespace memd::continuity {

// Calls f for each: camelCase, snake_case, dotted and :: names, VARIABLES, --flags, error codes (TS2345, ENOENT) and
// ports ("localhost:8080" gives "8080"), as they are written. Not for file names, hashes and plain words.
void for_each_code_name(std::string_view text, const std::function<void(std::string_view)>& f);

// `word` stands in `text`, not as a part of a longer name.
bool names(std::string_view text, std::string_view word);

}  // namespace memd::continuity

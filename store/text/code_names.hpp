#pragma once

#include "schemas/query.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Names of code in prose, commands and sources. ASCII; O(n).
namespace memd::continuity {

// Calls f for each: camelCase, snake_case, dotted and :: names, VARIABLES, --flags, error codes (TS2345, ENOENT) and
// ports ("localhost:8080" gives "8080"), as they are written. Not for file names, hashes and plain words.
void for_each_code_name(std::string_view text, const std::function<void(std::string_view)>& f);

// `word` stands in `text`, not as a part of a longer name.
bool names(std::string_view text, std::string_view word);

}  // namespace memd::continuity

namespace memd::enrichment {

// The words inside of a compound name: parseConfig → parse, Config; HTTPServer2 → HTTP, Server2. A word without humps
// is its own and only part. ASCII letters and digits only; anything else belongs to the part it stands in.
std::vector<std::string_view> identifier_parts(std::string_view word);

// The compound names in all texts of an exchange, as they are written, each once, in order of appearance. Only those
// the full-text index takes for one word: the parts of snake_case, kebab-case, dotted names and paths are words there.
// Names that look like data (base64, hashes, keys) are left out. Pure.
std::vector<std::string> extract_identifiers(const ExchangeRow& exchange);

inline constexpr std::size_t kMaxIdentifiers = 200;  // of one exchange

}  // namespace memd::enrichment

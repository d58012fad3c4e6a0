#pragma once

#include "schemas/query.hpp"

#include <string>
#include <string_view>
#include <vector>

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

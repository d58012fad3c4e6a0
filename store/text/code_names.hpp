#pragma once

#include "schemas/exchange_row.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Names of code in prose, commands and sources. ASCII; O(n).
namespace memd::continuity {

// Calls `f` for each camelCase, snake_case, dotted and :: name, VARIABLE, --flag, error code (TS2345, ENOENT) and port
// ("localhost:8080" gives "8080"), as written. Skips file names, hashes and plain words.
void for_each_code_name(std::string_view text, const std::function<void(std::string_view)>& f);

// Returns whether `word` occurs in `text` other than as a part of a longer name.
bool names(std::string_view text, std::string_view word);

}  // namespace memd::continuity

namespace memd::enrichment {

// Splits a compound name into its words: parseConfig → parse, Config; HTTPServer2 → HTTP, Server2. A word without inner
// capitals is its only part. Splits at ASCII letters and digits only; other bytes belong to the part that contains
// them.
std::vector<std::string_view> identifier_parts(std::string_view word);

// Returns the compound names in all texts of an exchange, as written, each once, in order of appearance. Only names
// that the full-text index treats as one word: it splits snake_case, kebab-case, dotted names and paths itself. Skips
// names that look like data (base64, hashes, keys). Pure.
std::vector<std::string> extract_identifiers(const ExchangeRow& exchange);

inline constexpr std::size_t kMaxIdentifiers = 200;  // of one exchange

}  // namespace memd::enrichment

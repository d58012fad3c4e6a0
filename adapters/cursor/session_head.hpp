#pragma once

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/state_rows.hpp"

#include <string>
#include <string_view>

namespace memd::cursor {

inline constexpr std::string_view kHeadKey = "head";

// The head of a session: what Cursor says of a conversation as a whole.
std::string head_json(const Composer& composer, const CatalogueEntry& catalogue, std::string_view folder);

// For a version: never 0.
std::uint64_t version_of(std::string_view value);

}  // namespace memd::cursor

#pragma once

#include <cstddef>
#include <string_view>

// Display width of text on a terminal. Expects UTF-8 as harmless_line() returns it. Pure; any thread.
namespace memd::cli {

// Returns the width in columns: 2 for an ideograph or an emoji, 0 for a combining mark.
std::size_t columns_of(std::string_view text);

// Returns the length in bytes of the longest prefix of `text` that fits in `columns`. It ends at a code point boundary,
// after the marks that combine with the last character.
std::size_t bytes_within(std::string_view text, std::size_t columns);

}  // namespace memd::cli

#pragma once

#include <cstddef>
#include <string_view>

// How wide text is on a terminal. Takes UTF-8 as harmless_line() leaves it. Pure; any thread.
namespace memd::cli {

// Columns of all of it: 2 of an ideograph or an emoji, 0 of a combining mark.
std::size_t columns_of(std::string_view text);

// The longest beginning of `text` that takes at most `columns`, in bytes. Ends at a character's border, behind the
// marks that combine with it.
std::size_t bytes_within(std::string_view text, std::size_t columns);

}  // namespace memd::cli

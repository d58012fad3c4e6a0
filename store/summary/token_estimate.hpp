#pragma once

#include <cstddef>
#include <string_view>

namespace memd {

// How many tokens a cl100k-like tokenizer makes of `text` (UTF-8, damaged bytes allowed), leaning to the high side: the
// text is cut as that tokenizer's pre-tokenizer cuts it, and each piece costs the mean of its class and length.
// Single short texts may still come out under. O(n), no allocation, thread-safe.
std::size_t estimate_tokens(std::string_view text);

// Bytes of a long prefix, ending at a UTF-8 border, that estimate_tokens puts at `tokens` or less. text.size() if all
// of it fits. Reads little more than what it returns.
std::size_t prefix_within_tokens(std::string_view text, std::size_t tokens);

}  // namespace memd

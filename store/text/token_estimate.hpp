#pragma once

#include <cstddef>
#include <string_view>

namespace memd {

// How many tokens cl100k makes of `text` (UTF-8, damaged bytes allowed), at least: it is encoded as that tokenizer
// would, with two thirds of its ranks (byte_pairs.hpp). Over agents' texts and answers it comes out some 3.5% high, in
// odd texts up to 25%, where words are of few common ranks (a sentence in Korean) by half; and not under. O(n), no
// allocation, thread-safe.
std::size_t estimate_tokens(std::string_view text);

struct TokenPrefix {
  std::size_t bytes = 0;
  std::size_t tokens = 0;  // estimate_tokens() of it; one more if it ends in the midst of blanks
};

// A long prefix, ending at a UTF-8 border, of at most `tokens`; all of the text if that fits. Reads little more than
// what it returns, and once.
TokenPrefix prefix_within_tokens(std::string_view text, std::size_t tokens);

}  // namespace memd

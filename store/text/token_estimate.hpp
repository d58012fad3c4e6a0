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

// How many tokens byte-pair encoding makes of a piece that a tokenizer's pre-tokenizer cut out, with the first 65,535
// of the ranks of cl100k. Ranks are merged in order, so what the others would still merge counts more here, never less:
// over texts of agents some 3.5%. O(n), no allocation, thread-safe.
//
// The table (packaging/tokenizer/make_byte_pairs.py) is compiled into the binary: 2^17 slots of 32 bits, open
// addressing with steps of one; the low half is rank + 1, 0 in an empty slot, the high half the first bits of the
// token's hash. A false match, one in some 25,000 lookups of what is not there, costs a token more or less.
std::size_t count_byte_pairs(std::string_view piece);

}  // namespace memd

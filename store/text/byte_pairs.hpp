#pragma once

#include <cstddef>
#include <string_view>

namespace memd {

// How many tokens byte-pair encoding makes of a piece that a tokenizer's pre-tokenizer cut out, with the first 65,535
// of the ranks of cl100k. Ranks are merged in order, so what the others would still merge counts more here, never less:
// over texts of agents some 3.5%. O(n), no allocation, thread-safe.
//
// The table (packaging/tokenizer/make_byte_pairs.py) is compiled into the binary: 2^17 slots of 32 bits, open
// addressing with steps of one; the low half is rank + 1, 0 in an empty slot, the high half the first bits of the
// token's hash. A false match, one in some 25,000 lookups of what is not there, costs a token more or less.
std::size_t count_byte_pairs(std::string_view piece);

}  // namespace memd

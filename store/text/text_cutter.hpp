#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace memd::enrichment {

// Cuts `text` into stretches of at most `limit` bytes (≥ 16) that together hold all of it but whitespace at the cuts. A
// cut lies at the last good place: end of a paragraph, else of a line or sentence, else of a word, else of a character.
// A fenced block of code that begins after a quarter of a stretch begins the next one, so it stays whole if it is of up
// to ¾ of `limit`. Where a cut lies depends on nothing behind it but whether `limit` is reached: growing text keeps its
// cuts.
std::vector<std::string_view> cut(std::string_view text, std::size_t limit);

}  // namespace memd::enrichment

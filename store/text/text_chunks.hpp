#pragma once

#include "schemas/query.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::enrichment {

// A stretch of an exchange that gets a vector of its own.
struct TextChunk {
  std::string text;
  std::uint64_t hash = 0;  // of `text`
};

// Cuts what people ask about (prompt, final answer, interventions, what was said on the way; not titles, which change,
// nor the lines of tools) into chunks of at most kChunkBytes at paragraph, sentence and word borders, so that nothing
// is silently cut off by a model. A short prompt shares its chunk with the beginning of the answer. The same text gives
// the same chunks; a text that only grew keeps all its chunks but the last.
std::vector<TextChunk> chunks_of(const ExchangeRow& exchange);

inline constexpr std::size_t kChunkBytes = 900;

// Cuts `text` into stretches of at most `limit` bytes (≥ 16) that together hold all of it but whitespace at the cuts. A
// cut lies at the last good place: end of a paragraph, else of a line or sentence, else of a word, else of a character.
// A fenced block of code that begins after a quarter of a stretch begins the next one, so it stays whole if it is of up
// to ¾ of `limit`. Where a cut lies depends on nothing behind it but whether `limit` is reached: growing text keeps its
// cuts.
std::vector<std::string_view> cut(std::string_view text, std::size_t limit);

}  // namespace memd::enrichment

#pragma once

#include "schemas/exchange_row.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::enrichment {

// A part of an exchange that gets its own vector.
struct TextChunk {
  std::string text;
  std::uint64_t hash = 0;  // of `text`
};

// Splits the searchable texts of an exchange (prompt, final answer, interventions, intermediate messages) into chunks
// of at most kChunkBytes at paragraph, sentence and word boundaries, so that no model silently truncates them. Excludes
// titles, which change, and tool lines. A short prompt shares its chunk with the start of the answer. Deterministic; a
// text that only grew keeps all its chunks but the last.
std::vector<TextChunk> chunks_of(const ExchangeRow& exchange);

inline constexpr std::size_t kChunkBytes = 900;

// The texts of an exchange that chunks are made of. Borrowed.
struct ChunkedTexts {
  std::string_view user_message;
  std::string_view assistant_response;
  std::string_view interventions;
  std::size_t answer_begin = 0;  // where the final answer starts in assistant_response, at most its size
};

// Returns the text of chunk `number` of chunks_of(), without making the others; empty when there are fewer.
std::string chunk_at(const ChunkedTexts& texts, std::size_t number);

// Splits `text` into pieces of at most `limit` bytes (≥ 16) that together contain everything but whitespace at the
// cuts. Cuts at the last good position: end of a paragraph, else of a line or sentence, else of a word, else of a
// character. A fenced code block that starts after a quarter of a piece starts the next piece, so it stays whole if it
// is at most ¾ of `limit`. Text after a cut only matters for whether `limit` is reached, so a growing text keeps its
// cuts.
std::vector<std::string_view> cut(std::string_view text, std::size_t limit);

}  // namespace memd::enrichment

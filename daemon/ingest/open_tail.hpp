#pragma once

#include "schemas/event_batch.hpp"

#include <string>
#include <string_view>

// Source::open_tail: what the bytes at the cursor belong to, when a record was taken before its newline was there.
namespace memd::open_tail {

// The record was taken whole; the newline belongs to its ledger line.
std::string of(const CoverageEntry& line);
// Takes the newline into that line; bytes used (0 or 1).
std::size_t close(std::string& tail, std::string_view bytes, EventBatch& batch);

// In the middle of a record too long to hold: all up to the next newline belongs to it.
const CoverageEntry& oversized_line();
std::string in_oversized();
bool is_in_oversized(std::string_view tail);

}  // namespace memd::open_tail

#pragma once

#include "adapters/adapter.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Source::open_tail: what the bytes at the cursor belong to, when a record was taken before its newline was there.

namespace memd {
namespace open_tail {

// The record was taken whole; the newline belongs to its ledger line.
std::string of(const CoverageEntry& line);
// Takes the newline into that line; bytes used (0 or 1).
std::size_t close(std::string& tail, std::string_view bytes, EventBatch& batch);

// In the middle of a record too long to hold: all up to the next newline belongs to it.
const CoverageEntry& oversized_line();
std::string in_oversized();
bool is_in_oversized(std::string_view tail);

}  // namespace open_tail

// Decodes the next bytes of a log, complete lines and then perhaps a last record without its newline, and moves the
// source's cursor behind them. The same bytes in the same portions give the same batches, whether they come from the
// agent's file or from the raw layer. kRecordPadding readable bytes follow.
void decode_log(std::string_view bytes, Source& source, RecordDecoder& decoder, EventBatch& batch);

// The next bytes of a record too long to hold: with the first of them its ledger line and diagnostic. `ends`: its
// newline is the last of them. Moves the cursor.
void pass_over_oversized(std::uint64_t bytes, bool ends, Source& source, EventBatch& batch);

// The source was truncated or replaced: its next slice begins at the start. `why` may be absent.
void restart_source(Source& source, std::optional<DiagnosticType> why, EventBatch& batch);

}  // namespace memd

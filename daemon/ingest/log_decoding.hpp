#pragma once

#include "adapters/adapter.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

// Source::open_tail says what the bytes at the cursor belong to when a record was read before its newline was there.
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

// Accounts for the next bytes of a record that is too long to hold, and moves the cursor behind them. The first bytes
// of such a record give its diagnostic. `ends`: the last byte is its newline.
void pass_over_oversized(std::uint64_t bytes, bool ends, Source& source, EventBatch& batch);

// Moves the cursor to the start, because the source was truncated or replaced. `why` becomes a diagnostic.
void restart_source(Source& source, std::optional<DiagnosticType> why, EventBatch& batch);

}  // namespace memd

#pragma once

#include "adapters/adapter.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memd {

// The values of Source::open_tail: what the bytes at the cursor belong to when a record was read before its newline was
// written. The record was taken whole; its newline is added to its ledger line later.
namespace open_tail {

// The record was taken whole; the newline belongs to its ledger line.
std::string of(const CoverageEntry& line);
// Adds the newline to that ledger line. Returns the bytes used (0 or 1).
std::size_t close(std::string& tail, std::string_view bytes, EventBatch& batch);

// The state inside a record too long to hold: all bytes up to the next newline belong to it.
const CoverageEntry& oversized_line();
std::string in_oversized();
bool is_in_oversized(std::string_view tail);

}  // namespace open_tail

// Decodes the next bytes of a log: complete lines, then possibly a last record without its newline. Moves the source's
// cursor behind them. The same bytes in the same portions give the same batches, from the agent's file as from the raw
// layer. kRecordPadding readable bytes must follow.
void decode_log(std::string_view bytes, Source& source, RecordDecoder& decoder, EventBatch& batch);

// Accounts for the next bytes of a record that is too long to hold, and moves the cursor behind them. The first bytes
// of such a record give its diagnostic. `ends`: the last byte is its newline.
void pass_over_oversized(std::uint64_t bytes, bool ends, Source& source, EventBatch& batch);

// Moves the cursor to the start, because the source was truncated or replaced. `why` becomes a diagnostic.
void restart_source(Source& source, std::optional<DiagnosticType> why, EventBatch& batch);

}  // namespace memd

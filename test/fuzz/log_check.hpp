#pragma once

#include "adapters/adapter.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

// Checks the invariants of a source that is read record by record, for any input: the ledger covers every byte, and
// each event can be found again in its record.
namespace memd::fuzz {

// `whole`: the source is one record, not one record per line.
inline void check_log(const Adapter& adapter, const Source& source, std::string_view input, bool whole = false) {
  std::string bytes(input);
  bytes.resize(input.size() + kRecordPadding, ' ');
  const std::string_view text(bytes.data(), input.size());
  const auto decoder = adapter.open(source);
  EventBatch batch;
  for (std::size_t at = 0; at < text.size();) {
    const auto newline = whole ? std::string_view::npos : text.find('\n', at);
    const bool follows = newline != std::string_view::npos;
    const auto line = text.substr(at, follows ? newline - at : std::string_view::npos);
    (void)decoder->is_complete(line);
    decoder->decode({line, at, follows}, batch);
    at += line.size() + (follows ? 1 : 0);
  }
  std::uint64_t covered = 0;
  for (const auto& entry : batch.coverage)
    covered += entry.bytes;
  if (covered != text.size()) std::abort();
  for (const Event& e : batch.events) {
    if (e.raw.offset + e.raw.length > text.size()) std::abort();
    (void)adapter.event_text(text.substr(e.raw.offset, e.raw.length), e.kind, e.raw.block);
  }
}

}  // namespace memd::fuzz

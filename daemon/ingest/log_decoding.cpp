#include "daemon/ingest/log_decoding.hpp"

#include <cstring>
#include <utility>

namespace memd {
namespace {

constexpr char kTailSeparator = '\x1f';

// Names the ledger line a record without newline went to, so that its newline can follow later.
std::string encode_tail(const CoverageEntry& e) {
  std::string out = e.record_type;
  out += kTailSeparator;
  out += static_cast<char>('0' + static_cast<int>(e.disposition));
  out += kTailSeparator;
  out += e.reason;
  return out;
}

void cover_tail_byte(const std::string& tail, EventBatch& batch) {
  const auto first = tail.find(kTailSeparator);
  const auto second = tail.find(kTailSeparator, first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return batch.cover("(blank)", Disposition::skipped, "blank", 1, 0);
  batch.cover(tail.substr(0, first), static_cast<Disposition>(tail[first + 1] - '0'), tail.substr(second + 1), 1, 0);
}

std::size_t close_open_tail(std::string_view bytes, Source& source, EventBatch& batch) {
  if (source.open_tail.empty() || bytes.empty()) return 0;
  std::size_t used = 0;
  if (bytes.front() == '\n') {
    cover_tail_byte(source.open_tail, batch);
    used = 1;
  }
  source.open_tail.clear();
  return used;
}

void decode_tail(std::string_view tail, Source& source, RecordDecoder& decoder, EventBatch& batch) {
  EventBatch last;
  decoder.decode({tail, source.cursor, false}, last);
  source.cursor += tail.size();
  if (!last.coverage.empty()) source.open_tail = encode_tail(last.coverage.back());
  for (auto& e : last.events)
    batch.events.push_back(std::move(e));
  for (auto& u : last.sessions)
    batch.sessions.push_back(std::move(u));
  for (auto& d : last.diagnostics)
    batch.diagnostics.push_back(std::move(d));
  for (const auto& c : last.coverage)
    batch.cover(c.record_type, c.disposition, c.reason, c.bytes, c.records);
}

}  // namespace

void decode_log(std::string_view bytes, Source& source, RecordDecoder& decoder, EventBatch& batch) {
  const std::size_t last_newline = bytes.rfind('\n');
  const std::size_t lines_end = last_newline == std::string_view::npos ? 0 : last_newline + 1;
  std::size_t at = close_open_tail(bytes, source, batch);
  while (at < lines_end) {
    const auto* nl = static_cast<const char*>(std::memchr(bytes.data() + at, '\n', lines_end - at));
    const auto end = static_cast<std::size_t>(nl - bytes.data());
    decoder.decode({bytes.substr(at, end - at), source.cursor + at, true}, batch);
    at = end + 1;
  }
  source.cursor += at;
  if (at < bytes.size()) decode_tail(bytes.substr(at), source, decoder, batch);
}

void pass_over_oversized(std::uint64_t bytes, Source& source, EventBatch& batch) {
  batch.cover("(oversized)", Disposition::skipped, "longer than a record may be", bytes);
  batch.diagnostics.push_back(
      {source.platform, DiagnosticType::oversized_record, Severity::warning, {}, 0, source.cursor});
  source.cursor += bytes;
  source.open_tail.clear();
}

void restart_source(Source& source, std::optional<DiagnosticType> why, EventBatch& batch) {
  source.cursor = 0;
  source.open_tail.clear();
  if (why) batch.diagnostics.push_back({source.platform, *why, Severity::warning, {}, 0, 0});
}

}  // namespace memd

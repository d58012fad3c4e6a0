#include "daemon/ingest/log_decoding.hpp"

#include <cstring>
#include <utility>

namespace memd {
namespace open_tail {
namespace {

constexpr char kSeparator = '\x1f';

}  // namespace

std::string of(const CoverageEntry& line) {
  std::string out = line.record_type;
  out += kSeparator;
  out += static_cast<char>('0' + static_cast<int>(line.disposition));
  out += kSeparator;
  out += line.reason;
  return out;
}

std::size_t close(std::string& tail, std::string_view bytes, EventBatch& batch) {
  if (tail.empty() || bytes.empty()) return 0;
  const std::string line = std::move(tail);
  tail.clear();
  if (bytes.front() != '\n') return 0;
  const auto first = line.find(kSeparator);
  const auto second = line.find(kSeparator, first + 1);
  if (first == std::string::npos || second == std::string::npos)
    batch.cover("(blank)", Disposition::skipped, "blank", 1, 0);
  else
    batch.cover(line.substr(0, first), static_cast<Disposition>(line[first + 1] - '0'), line.substr(second + 1), 1, 0);
  return 1;
}

const CoverageEntry& oversized_line() {
  static const CoverageEntry line{"(oversized)", Disposition::skipped, "longer than a record may be", 0, 0};
  return line;
}

std::string in_oversized() { return of(oversized_line()); }

bool is_in_oversized(std::string_view tail) {
  static const std::string mark = in_oversized();
  return tail == mark;
}

}  // namespace open_tail

namespace {

void decode_tail(std::string_view tail, Source& source, RecordDecoder& decoder, EventBatch& batch) {
  EventBatch last;
  decoder.decode({tail, source.cursor, false}, last);
  source.cursor += tail.size();
  if (!last.coverage.empty()) source.open_tail = open_tail::of(last.coverage.back());
  for (auto& e : last.events)
    batch.events.push_back(std::move(e));
  for (auto& r : last.silent)
    batch.silent.push_back(std::move(r));
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
  std::size_t at = open_tail::close(source.open_tail, bytes, batch);
  constexpr std::size_t kBytesPerEvent = 4096;  // in logs with much output; other batches grow as needed
  batch.events.reserve(batch.events.size() + bytes.size() / kBytesPerEvent);
  while (at < lines_end) {
    const auto* nl = static_cast<const char*>(std::memchr(bytes.data() + at, '\n', lines_end - at));
    const auto end = static_cast<std::size_t>(nl - bytes.data());
    decoder.decode({bytes.substr(at, end - at), source.cursor + at, true}, batch);
    at = end + 1;
  }
  source.cursor += at;
  if (at < bytes.size()) decode_tail(bytes.substr(at), source, decoder, batch);
}

void pass_over_oversized(std::uint64_t bytes, bool ends, Source& source, EventBatch& batch) {
  const CoverageEntry& line = open_tail::oversized_line();
  const bool begins = !open_tail::is_in_oversized(source.open_tail);
  batch.cover(line.record_type, line.disposition, line.reason, bytes, begins ? 1 : 0);
  if (begins)
    batch.diagnostics.push_back(
        {source.platform, DiagnosticType::oversized_record, Severity::warning, {}, 0, source.cursor});
  source.cursor += bytes;
  source.open_tail = ends ? std::string() : open_tail::in_oversized();
}

void restart_source(Source& source, std::optional<DiagnosticType> why, EventBatch& batch) {
  source.cursor = 0;
  source.open_tail.clear();
  source.proof.clear();
  source.mark.clear();
  if (why) batch.diagnostics.push_back({source.platform, *why, Severity::warning, {}, 0, 0});
}

}  // namespace memd

#include "daemon/ingest/tailer.hpp"

#include "daemon/ingest/open_tail.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace memd {
namespace {

// Most transcripts have no final newline: a whole object at the end is a record. Anything else waits.
void decode_tail(std::string_view tail, Source& source, RecordDecoder& decoder, EventBatch& batch) {
  if (tail.back() != '}' || !decoder.is_complete(tail)) return;
  EventBatch last;
  decoder.decode({tail, source.cursor, false}, last);
  source.cursor += tail.size();
  if (!last.coverage.empty()) source.open_tail = open_tail::of(last.coverage.back());
  for (auto& e : last.events)
    batch.events.push_back(std::move(e));
  for (auto& u : last.sessions)
    batch.sessions.push_back(std::move(u));
  for (auto& d : last.diagnostics)
    batch.diagnostics.push_back(std::move(d));
  for (const auto& c : last.coverage)
    batch.cover(c.record_type, c.disposition, c.reason, c.bytes, c.records);
}

void diagnose(SourceSlice& slice, const Source& source, DiagnosticType type, std::uint64_t offset) {
  slice.batch.diagnostics.push_back({source.platform, type, Severity::warning, {}, 0, offset});
}

// How long the file was when it was last read; for a compressed one the cursor does not tell.
std::uint64_t least_size(const Source& source) {
  return is_zstd_name(source.path) ? size_at_end(source.mark) : source.cursor;
}

bool was_read_to(const Source& source, const FileStat& st) {
  if (is_zstd_name(source.path)) return size_at_end(source.mark) == st.size;
  return st.size == source.size && st.size == source.cursor;
}

Result<std::string> read_head(const std::string& path) { return read_log_bytes(path, 0, 4 * kHeadBytes); }

}  // namespace

void Tailer::restart(Source& source, SourceSlice& slice, DiagnosticType why) {
  source.cursor = 0;
  source.open_tail.clear();
  source.mark.clear();
  ++source.generation;
  slice.restart = true;
  diagnose(slice, source, why, 0);
}

// False: nothing changed since the last look.
Result<bool> Tailer::verify_identity(const SourceFile& file, Source& source, SourceSlice& slice) {
  const FileStat& st = file.stat();
  const bool same_file = st.device == source.identity.device && st.inode == source.identity.inode;
  if (source.id != 0 && same_file && st.mtime == source.mtime && was_read_to(source, st)) return false;

  const bool known = source.identity.inode != 0;
  if (known && st.size < least_size(source)) {
    restart(source, slice, DiagnosticType::source_truncated);
  } else if (known) {
    // The inode alone is no identity: it is reused, and tools replace files by renaming copies into place.
    MEMD_TRY_ASSIGN(const auto head, file.hash_head(source.identity.head_length));
    if (head != source.identity.head_hash) restart(source, slice, DiagnosticType::source_replaced);
  }
  const auto head_length = static_cast<std::uint32_t>(std::min<std::uint64_t>(st.size, kHeadBytes));
  MEMD_TRY_ASSIGN(const auto head, file.hash_head(head_length));
  source.identity = {st.device, st.inode, head, head_length};
  source.size = is_zstd_name(source.path) ? std::max(source.cursor, st.size) : st.size;
  source.mtime = st.mtime;
  return true;
}

Result<Tailer::Outcome> Tailer::next(Source& source, const Adapter& adapter) {
  const bool compressed = is_zstd_name(source.path);
  if (compressed && !compressed_.has_room_for(source.path)) return Outcome{std::nullopt, true};
  auto file = SourceFile::open(source.path);
  if (!file) {
    compressed_.close(source.path);
    return std::move(file).error();
  }
  const Source before = source;
  Outcome out;
  SourceSlice slice;
  const auto outcome = [&]() -> Result<void> {
    MEMD_TRY_ASSIGN(const bool changed, verify_identity(*file, source, slice));
    const bool healthy = source.state == SourceState::active && source.failures == 0;
    source.state = SourceState::active;
    source.state_reason.clear();
    source.failures = 0;
    source.retry_at = 0;
    if (!changed && healthy) return {};
    if (changed) {
      if (source.session_uid.empty()) {
        MEMD_TRY_ASSIGN(const std::string head, read_head(source.path));
        source.session_uid = adapter.session_uid({source.platform, source.path, source.format}, head);
      }
      MEMD_TRY(read(std::move(*file), source, adapter, slice, out.more));
    }
    slice.source = source;
    slice.adapter_version = adapter.describe().adapter_version;
    out.slice = std::move(slice);
    return {};
  }();
  if (!outcome) {
    compressed_.close(source.path);
    source = before;
    return outcome.error();
  }
  return out;
}

Result<void> Tailer::read(SourceFile file, Source& source, const Adapter& adapter, SourceSlice& slice, bool& more) {
  if (source.format == SourceFormat::json) return read_document(file, source, adapter, slice);
  if (is_zstd_name(source.path)) return read_compressed(std::move(file), source, adapter, slice, more);
  PlainWindow window(file, buffer_);
  return read_lines(window, source, adapter, slice, more);
}

Result<void> Tailer::read_compressed(SourceFile file, Source& source, const Adapter& adapter, SourceSlice& slice,
                                     bool& more) {
  const std::uint64_t file_size = file.stat().size;
  ZstdLog& log = compressed_.open(source.path, std::move(file));
  ZstdWindow window(log);
  MEMD_TRY(read_lines(window, source, adapter, slice, more));
  if (more) {
    source.size = std::max(source.size, source.cursor + log.compressed_left() + 1);
    return {};
  }
  if (log.decompressed() < source.cursor) {  // the same head, and less behind it
    restart(source, slice, DiagnosticType::source_truncated);
    more = true;
    return {};
  }
  if (log.end() == ZstdLog::End::not_zstd) diagnose(slice, source, DiagnosticType::not_a_transcript, 0);
  if (log.end() == ZstdLog::End::cut_off || log.end() == ZstdLog::End::damaged)
    diagnose(slice, source, DiagnosticType::damaged_record, log.decompressed());
  source.size = log.decompressed();
  source.mark = end_mark(file_size);
  compressed_.close(source.path);
  return {};
}

Result<void> Tailer::read_lines(LogWindow& window, Source& source, const Adapter& adapter, SourceSlice& slice,
                                bool& more) {
  if (open_tail::is_in_oversized(source.open_tail)) return pass_over(window, source, slice, more);
  std::size_t want = limits_.slice_bytes;
  std::string_view bytes;
  std::size_t last_newline = std::string_view::npos;
  while (true) {
    MEMD_TRY_ASSIGN(bytes, window.at(source.cursor, want));
    last_newline = bytes.rfind('\n');
    if (last_newline != std::string_view::npos || bytes.size() < want) break;
    if (window.ends_at(source.cursor + bytes.size())) break;
    if (want >= limits_.record_bytes) {
      diagnose(slice, source, DiagnosticType::oversized_record, source.cursor);
      slice.batch.cover(open_tail::oversized_line().record_type, Disposition::skipped,
                        open_tail::oversized_line().reason, 0);
      source.open_tail = open_tail::in_oversized();
      return pass_over(window, source, slice, more);
    }
    want = std::min(want * 4, limits_.record_bytes);
  }
  if (bytes.empty()) return {};

  const auto decoder = adapter.open(source);
  const std::size_t lines_end = last_newline == std::string_view::npos ? 0 : last_newline + 1;
  std::size_t at = open_tail::close(source.open_tail, bytes, slice.batch);
  while (at < lines_end) {
    const auto* nl = static_cast<const char*>(std::memchr(bytes.data() + at, '\n', lines_end - at));
    const auto end = static_cast<std::size_t>(nl - bytes.data());
    decoder->decode({bytes.substr(at, end - at), source.cursor + at, true}, slice.batch);
    at = end + 1;
  }
  const bool reached_end = bytes.size() < want || window.ends_at(source.cursor + bytes.size());
  source.cursor += at;
  more = !reached_end;
  if (reached_end && at < bytes.size()) decode_tail(bytes.substr(at), source, *decoder, slice.batch);
  return {};
}

// Walks over a record too long to hold, a slice at a time, without keeping it. What is passed over is accounted for,
// so that a record that goes on growing is not walked over again from its start.
Result<void> Tailer::pass_over(LogWindow& window, Source& source, SourceSlice& slice, bool& more) {
  MEMD_TRY_ASSIGN(const std::string_view bytes, window.at(source.cursor, limits_.slice_bytes));
  if (bytes.empty()) return {};
  const auto newline = bytes.find('\n');
  const bool ended = newline != std::string_view::npos;
  const std::size_t passed = ended ? newline + 1 : bytes.size();
  const CoverageEntry& line = open_tail::oversized_line();
  slice.batch.cover(line.record_type, line.disposition, line.reason, passed, 0);
  source.cursor += passed;
  if (ended) source.open_tail.clear();
  more = ended ? !window.ends_at(source.cursor) : bytes.size() == limits_.slice_bytes;
  return {};
}

// A document is rewritten as a whole: each change is read from the start.
Result<void> Tailer::read_document(const SourceFile& file, Source& source, const Adapter& adapter, SourceSlice& slice) {
  PlainWindow window(file, buffer_);
  MEMD_TRY_ASSIGN(const std::string_view bytes, window.at(0, limits_.record_bytes));
  const auto decoder = adapter.open(source);
  if (!decoder->is_complete(bytes)) return {};  // caught in the middle of a rewrite: the next hint will tell
  slice.restart = slice.restart || source.cursor != 0;
  decoder->decode({bytes, 0, false}, slice.batch);
  source.cursor = bytes.size();
  return {};
}

}  // namespace memd

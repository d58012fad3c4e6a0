#include "daemon/ingest/tailer.hpp"

#include "daemon/ingest/log_decoding.hpp"
#include "store/redaction/record_mask.hpp"

#include <algorithm>
#include <cstring>

namespace memd {
Result<std::size_t> Tailer::fill(const SourceFile& file, std::uint64_t offset, std::size_t bytes) {
  buffer_.resize(bytes + kRecordPadding);
  MEMD_TRY_ASSIGN(const std::size_t n, file.read_at(offset, std::span(buffer_).first(bytes)));
  std::memset(buffer_.data() + n, 0, kRecordPadding);
  return n;
}

void Tailer::restart(Source& source, SourceSlice& slice, DiagnosticType why) {
  slice.restart = true;
  restart_source(source, why, slice.batch);
  ++source.generation;
}

// False: nothing changed since the last look.
Result<bool> Tailer::verify_identity(const SourceFile& file, Source& source, SourceSlice& slice) {
  const FileStat& st = file.stat();
  const bool same_file = st.device == source.identity.device && st.inode == source.identity.inode;
  if (source.id != 0 && same_file && st.size == source.size && st.mtime == source.mtime && st.size == source.cursor)
    return false;

  const bool known = source.identity.inode != 0;
  if (known && st.size < source.cursor) {
    restart(source, slice, DiagnosticType::source_truncated);
  } else if (known) {
    // The inode alone is no identity: it is reused, and tools replace files by renaming copies into place.
    MEMD_TRY_ASSIGN(const auto head, file.hash_head(source.identity.head_length));
    if (head != source.identity.head_hash) restart(source, slice, DiagnosticType::source_replaced);
  }
  const auto head_length = static_cast<std::uint32_t>(std::min<std::uint64_t>(st.size, kHeadBytes));
  MEMD_TRY_ASSIGN(const auto head, file.hash_head(head_length));
  source.identity = {st.device, st.inode, head, head_length};
  source.size = st.size;
  source.mtime = st.mtime;
  return true;
}

Result<Tailer::Outcome> Tailer::next(Source& source, const Adapter& adapter) {
  MEMD_TRY_ASSIGN(const SourceFile file, SourceFile::open(source.path));
  SourceSlice slice;
  const Source before = source;
  MEMD_TRY_ASSIGN(const bool changed, verify_identity(file, source, slice));
  if (!changed) return Outcome{};
  if (source.session_uid.empty()) {
    MEMD_TRY_ASSIGN(const std::size_t n, fill(file, 0, 4 * kHeadBytes));
    source.session_uid =
        adapter.session_uid({source.platform, source.path, source.format}, std::string_view(buffer_.data(), n));
  }
  source.state = SourceState::active;
  source.state_reason.clear();

  bool more = false;
  const auto read = source.format == SourceFormat::json ? read_document(file, source, adapter, slice)
                                                        : read_lines(file, source, adapter, slice, more);
  if (!read) {
    source = before;
    return read.error();
  }
  slice.source = source;
  slice.adapter_version = adapter.describe().adapter_version;
  return Outcome{std::move(slice), more};
}

Result<void> Tailer::read_lines(const SourceFile& file, Source& source, const Adapter& adapter, SourceSlice& slice,
                                bool& more) {
  const std::uint64_t left = file.stat().size - source.cursor;
  if (left == 0) return {};
  std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(left, limits_.slice_bytes));
  std::string_view bytes;
  std::size_t last_newline = std::string_view::npos;
  while (true) {
    MEMD_TRY_ASSIGN(const std::size_t n, fill(file, source.cursor, want));
    bytes = std::string_view(buffer_.data(), n);
    last_newline = bytes.rfind('\n');
    if (last_newline != std::string_view::npos || n < want || want == left) break;
    if (want >= limits_.record_bytes) {
      const std::uint64_t before = source.cursor;
      MEMD_TRY(skip_oversized(file, source, slice));
      more = source.cursor > before && source.cursor < file.stat().size;
      return {};
    }
    want = static_cast<std::size_t>(std::min<std::uint64_t>({left, want * 4, limits_.record_bytes}));
  }

  const auto decoder = adapter.open(source);
  const std::size_t lines_end = last_newline == std::string_view::npos ? 0 : last_newline + 1;
  const bool reached_end = source.cursor + bytes.size() >= file.stat().size;
  // Most transcripts have no final newline: a whole object at the end is a record. Anything else waits.
  const std::string_view tail = bytes.substr(lines_end);
  const bool with_tail = reached_end && !tail.empty() && tail.back() == '}' && decoder->is_complete(tail);
  const std::size_t used = with_tail ? bytes.size() : lines_end;
  more = !reached_end && used > 0;  // no progress: it shrank under us, a hint will follow
  keep_raw(used, source.cursor, slice);
  decode_log(bytes.substr(0, used), source, *decoder, slice.batch);
  return {};
}

// Masking comes before decoding, so that the raw layer and the rows are made of the same bytes.
void Tailer::keep_raw(std::size_t bytes, std::uint64_t first, SourceSlice& slice) {
  slice.raw_first = first;
  if (limits_.raw == RawMode::off) return;
  if (limits_.raw == RawMode::masked) mask_records(std::span(buffer_).first(bytes));
  slice.raw.assign(buffer_.data(), bytes);
  slice.raw_length = bytes;
}

// Walks over a record too long to hold, piece by piece, without keeping it.
Result<void> Tailer::skip_oversized(const SourceFile& file, Source& source, SourceSlice& slice) {
  const std::uint64_t start = source.cursor;
  std::uint64_t at = start;
  bool ended = false;
  while (!ended && at < file.stat().size) {
    MEMD_TRY_ASSIGN(const std::size_t n, fill(file, at, limits_.slice_bytes));
    if (n == 0) break;
    const auto nl = std::string_view(buffer_.data(), n).find('\n');
    ended = nl != std::string_view::npos;
    at += ended ? nl + 1 : n;
  }
  if (!ended) return {};  // still being written
  slice.raw_first = start;
  slice.raw_passed_over = at - start;
  pass_over_oversized(at - start, source, slice.batch);
  return {};
}

// A document is rewritten as a whole: each change is read from the start.
Result<void> Tailer::read_document(const SourceFile& file, Source& source, const Adapter& adapter, SourceSlice& slice) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(file.stat().size, limits_.record_bytes));
  MEMD_TRY_ASSIGN(const std::size_t n, fill(file, 0, size));
  const std::string_view bytes(buffer_.data(), n);
  const auto decoder = adapter.open(source);
  if (!decoder->is_complete(bytes)) return {};  // caught in the middle of a rewrite: the next hint will tell
  slice.restart = slice.restart || source.cursor != 0;
  keep_raw(n, 0, slice);
  decoder->decode({bytes, 0, false}, slice.batch);
  source.cursor = n;
  return {};
}

}  // namespace memd

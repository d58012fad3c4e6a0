#include "daemon/ingest/tailer.hpp"

#include "daemon/ingest/capture_gate.hpp"
#include "daemon/ingest/log_decoding.hpp"
#include "schemas/base/hash.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <utility>

namespace memd {
namespace {

void diagnose(SourceSlice& slice, const Source& source, DiagnosticType type, std::uint64_t offset) {
  slice.batch.diagnostics.push_back({source.platform, type, Severity::warning, {}, 0, offset});
}

// Returns the size of the file when it was last read. For a compressed file the cursor does not give it.
std::uint64_t least_size(const Source& source) {
  return is_zstd_name(source.path) ? size_at_end(source.mark) : source.cursor;
}

bool was_read_to(const Source& source, const FileStat& st) {
  if (is_zstd_name(source.path)) return size_at_end(source.mark) == st.size;
  return st.size == source.size && st.size == source.cursor;
}

Result<std::string> read_head(const SourceFile& file, const std::string& path) {
  MEMD_TRY_ASSIGN(SourceFile same, file.duplicate());
  return read_log_bytes(std::move(same), path, 0, 4 * kHeadBytes);
}

}  // namespace

void Tailer::restart(Source& source, SourceSlice& slice, std::optional<DiagnosticType> why) {
  slice.restart = true;
  restart_source(source, why, slice.batch);
  source.session_uid.clear();  // the new content decides
  ++source.generation;
  proof_ = {};
}

// Returns whether the log begins with the bytes before the cursor. An appended log is compared in part. One that was
// written to without growing, or replaced by a file of another time, is compared as a whole; so is a compressed one,
// because it has to be read from its start anyway.
Result<bool> Tailer::begins_as_read(const SourceFile& file, const Source& source, bool is_same_file) {
  const FileStat& st = file.stat();
  const std::uint64_t draw = hash_combine(source.cursor, static_cast<std::uint64_t>(st.mtime));
  if (is_zstd_name(source.path)) {
    MEMD_TRY_ASSIGN(SourceFile same, file.duplicate());
    ZstdWindow log(compressed_.open(source.path, std::move(same)));
    return proof_.still_holds(log, true, draw);
  }
  const bool is_suspicious = st.mtime != source.mtime && (!is_same_file || st.size <= source.size);
  PlainWindow log(file, buffer_);
  return proof_.still_holds(log, is_suspicious, draw);
}

// Returns false if nothing changed since the last look.
Result<bool> Tailer::verify_identity(const SourceFile& file, Source& source, SourceSlice& slice) {
  const FileStat& st = file.stat();
  const auto proof = ReadProof::decode(source.proof, source.cursor);
  proof_ = proof.value_or(ReadProof());
  const bool same_file = st.device == source.identity.device && st.inode == source.identity.inode;
  const bool same_times = st.mtime == source.mtime && (proof_.changed_ns == 0 || proof_.changed_ns == st.changed_ns);
  if (source.id != 0 && same_file && same_times && was_read_to(source, st)) return false;

  const bool known = source.identity.inode != 0;
  const bool goes_on = proof && same_file && same_times && (is_zstd_name(source.path) || st.size == source.size);
  const auto head_length = static_cast<std::uint32_t>(std::min<std::uint64_t>(st.size, kHeadBytes));
  MEMD_TRY_ASSIGN(const auto head, file.hash_head(head_length));
  if (known && st.size < least_size(source)) {
    restart(source, slice, DiagnosticType::source_truncated);
  } else if (known) {
    // The inode alone does not identify a file: inodes are reused, and tools replace files by renaming copies into
    // place.
    auto old_head = head;
    if (source.identity.head_length != head_length) {
      MEMD_TRY_ASSIGN(old_head, file.hash_head(source.identity.head_length));
    }
    const bool is_log = source.format == SourceFormat::jsonl;
    bool same = old_head == source.identity.head_hash;
    if (same && is_log && proof && !goes_on) {
      MEMD_TRY_ASSIGN(same, begins_as_read(file, source, same_file));
    }
    if (!same)
      restart(source, slice, DiagnosticType::source_replaced);
    else if (is_log && !proof)
      restart(source, slice, std::nullopt);  // a store without checksums does not know what was read
  }
  source.identity = {st.device, st.inode, head, head_length};
  source.size = is_zstd_name(source.path) ? std::max(source.cursor, st.size) : st.size;
  source.mtime = st.mtime;
  return true;
}

Result<Tailer::Outcome> Tailer::next(Source& source, const Adapter& adapter) {
  const bool compressed = is_zstd_name(source.path);
  if (compressed && !compressed_.has_room_for(source.path)) return Outcome{std::nullopt, true};
  auto file = SourceFile::open(source.path, roots_);
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
        MEMD_TRY_ASSIGN(const std::string head, read_head(*file, source.path));
        source.session_uid = adapter.session_uid({source.platform, source.path, source.format}, head);
      }
      const std::int64_t changed_ns = file->stat().changed_ns;
      MEMD_TRY(read(std::move(*file), source, adapter, slice, out.more));
      if (source.format == SourceFormat::jsonl) {
        proof_.changed_ns = changed_ns;
        source.proof = proof_.encode();
      }
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
  if (log.decompressed() < source.cursor) {  // same head, but shorter content
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
  std::string_view newest;  // before the cursor
  std::string_view bytes;   // behind it
  std::size_t last_newline = std::string_view::npos;
  while (true) {
    MEMD_TRY(look_at_cursor(window, source, want, newest, bytes));
    last_newline = bytes.rfind('\n');
    if (last_newline != std::string_view::npos || bytes.size() < want) break;
    if (window.ends_at(source.cursor + bytes.size())) break;
    if (want >= limits_.record_bytes) return pass_over(window, source, slice, more);
    want = std::min(want * 4, limits_.record_bytes);
  }
  if (bytes.empty()) return {};

  const auto decoder = adapter.open(source);
  const std::size_t lines_end = last_newline == std::string_view::npos ? 0 : last_newline + 1;
  const bool reached_end = bytes.size() < want || window.ends_at(source.cursor + bytes.size());
  // Most transcripts have no final newline: a complete object at the end is a record. Other incomplete data waits.
  const std::string_view tail = bytes.substr(lines_end);
  const bool with_tail = reached_end && !tail.empty() && tail.back() == '}' && decoder->is_complete(tail);
  more = !reached_end;
  const auto records = keep_raw(bytes.substr(0, with_tail ? bytes.size() : lines_end), source.cursor, slice);
  decode(records, source, *decoder, slice);
  slice.raw.resize(slice.raw_length);
  proof_.extend(newest, bytes.substr(0, records.size()));
  return {};
}

// Returns the bytes around the cursor. There are none behind it if the file became shorter meanwhile.
Result<void> Tailer::look_at_cursor(LogWindow& window, const Source& source, std::size_t want, std::string_view& newest,
                                    std::string_view& bytes) const {
  const std::size_t behind = proof_.newest_size();
  MEMD_TRY_ASSIGN(const std::string_view around, window.at(source.cursor - behind, behind + want));
  newest = around.substr(0, behind);
  bytes = around.substr(newest.size());
  return {};
}

// Decodes the records. If the gate objects, blanks the withheld records and decodes again.
void Tailer::decode(std::string_view records, Source& source, RecordDecoder& decoder, SourceSlice& slice) const {
  const auto decode_all = [&] {
    if (source.format == SourceFormat::json) {
      decoder.decode({records, 0, false}, slice.batch);
      source.cursor = records.size();
    } else {
      decode_log(records, source, decoder, slice.batch);
    }
  };
  const Source before = source;
  const auto first = slice.batch.length();
  decode_all();
  if (limits_.gate == nullptr || !limits_.gate->must_blank(slice.batch, first, source)) return;
  const std::size_t size = records.size();
  if (slice.raw.empty()) slice.raw.assign(records).append(kRecordPadding, '\0');
  source = before;
  slice.batch.cut_back(first);
  slice.batch.coverage.clear();
  limits_.gate->blank(std::span(slice.raw).first(size), source, decoder);
  records = std::string_view(slice.raw).substr(0, size);
  decode_all();
}

// Masks before decoding, so that raw layer and rows are made from the same bytes.
std::string_view Tailer::keep_raw(std::string_view bytes, std::uint64_t first, SourceSlice& slice) const {
  slice.raw_first = first;
  const auto forgotten = limits_.gate == nullptr ? nullptr : limits_.gate->forgotten_texts();
  if (limits_.raw == RawMode::off && !may_be_private(bytes) && !forgotten) return bytes;
  slice.raw_length = bytes.size();
  slice.raw.reserve(bytes.size() + kRecordPadding);
  slice.raw.assign(bytes).append(kRecordPadding, '\0');
  const auto lines = std::span(slice.raw).first(bytes.size());
  if (forgotten) mask_forgotten(lines, *forgotten);
  limits_.raw == RawMode::masked ? mask_records(lines) : mask_private(lines);
  return std::string_view(slice.raw).substr(0, bytes.size());
}

// Skips a record too long to hold, a slice at a time, without storing it. Skipped bytes are accounted for, so that a
// growing record is not skipped again from its start.
Result<void> Tailer::pass_over(LogWindow& window, Source& source, SourceSlice& slice, bool& more) {
  std::string_view newest;
  std::string_view bytes;
  MEMD_TRY(look_at_cursor(window, source, limits_.slice_bytes, newest, bytes));
  if (bytes.empty()) return {};
  const auto newline = bytes.find('\n');
  const bool ended = newline != std::string_view::npos;
  const std::size_t passed = ended ? newline + 1 : bytes.size();
  slice.raw_first = source.cursor;
  slice.raw_passed_over = passed;
  slice.raw_passed_over_ends = ended;
  pass_over_oversized(passed, ended, source, slice.batch);
  proof_.extend(newest, bytes.substr(0, passed));
  more = ended ? !window.ends_at(source.cursor) : bytes.size() == limits_.slice_bytes;
  return {};
}

// Reads a document from its start, because each change rewrites it as a whole.
Result<void> Tailer::read_document(const SourceFile& file, Source& source, const Adapter& adapter, SourceSlice& slice) {
  PlainWindow window(file, buffer_);
  MEMD_TRY_ASSIGN(const std::string_view bytes, window.at(0, limits_.record_bytes));
  const auto decoder = adapter.open(source);
  if (!decoder->is_complete(bytes)) return {};  // caught during a rewrite; the next hint brings it back
  slice.restart = slice.restart || source.cursor != 0;
  decode(keep_raw(bytes, 0, slice), source, *decoder, slice);
  slice.raw.resize(slice.raw_length);
  return {};
}

}  // namespace memd

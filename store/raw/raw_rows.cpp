#include "store/raw/raw_rows.hpp"

#include "schemas/base/error.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/raw/raw_file.hpp"

#include <set>
#include <system_error>

namespace memd::raw {
namespace fs = std::filesystem;
namespace {

FileRow row_at(const sqlite::Statement& q) {
  return {q.int64(0),
          q.str(1),
          static_cast<std::uint64_t>(q.int64(2)),
          static_cast<std::uint64_t>(q.int64(3)),
          static_cast<std::uint64_t>(q.int64(4)),
          q.int64(5)};
}

RawScan scan_or_throw(std::string_view bytes, std::string_view name, const FrameSeal& seal) {
  auto scan = scan_frames(bytes, name, seal);
  if (!scan) throw ErrorException(scan.error());
  return std::move(*scan);
}

void add_rows(RawRows& rows, FileRow& file, const RawScan& scan) {
  file.small_frames = 0;
  for (const auto& f : scan.frames) {
    if (f.frame.header.parts.empty()) continue;
    file.last_number = f.frame.header.parts.back().number;
    file.written_at = f.frame.header.parts.back().committed_at;
    if (f.frame.header.kind == FrameKind::evicted) continue;
    rows.add_frame(file.pk, f.offset, f.frame.length, rows.source_of(f.frame.header), f.frame.header);
    file.small_frames = f.frame.header.content_bytes() < kSmallFrame ? file.small_frames + 1 : 0;
  }
}

void log_loss(sqlite::Database& db, SourceId source, std::string_view detail, std::uint64_t bytes, TimeMs now) {
  db.run(
      "INSERT INTO ingestion_log (time, source_pk, platform, what, detail, bytes) SELECT ?1, source_pk, platform,"
      " 'raw_layer_lost', ?3, ?4 FROM sources WHERE source_pk = ?2",
      now, source, detail, bytes);
  db.run(sql_text("INSERT INTO diagnostics (time, platform, error_type, severity, source_pk, redacted, expires_at)"
                  " SELECT ?1, platform, ?3, Severity::warning, source_pk, 1, ?1 + ?4 FROM sources"
                  " WHERE source_pk = ?2"),
         now, source, to_string(DiagnosticType::raw_layer_lost), kDiagnosticRetention);
}

// Resets a source so that it is read again from the start, with a new ledger and cursor. Its events stay and are
// recognised as duplicates.
void read_again(sqlite::Database& db, SourceId source, std::uint64_t bytes, TimeMs now) {
  const std::string path = db.query("SELECT path FROM sources WHERE source_pk = ?", source).value_or("");
  std::error_code ec;
  if (path.empty() || !fs::exists(path, ec))
    return log_loss(db, source, "records are lost, and the source is gone", bytes, now);
  db.run(
      "UPDATE sources SET cursor = 0, open_tail = '', mark = '', size = 0, mtime = 0, generation = generation + 1"
      " WHERE source_pk = ?",
      source);
  db.run("DELETE FROM coverage WHERE source_pk = ?", source);
  db.run("DELETE FROM source_items WHERE source_pk = ?", source);
  log_loss(db, source, "records are lost, the source is read again", bytes, now);
}

}  // namespace

std::vector<FileRow> RawRows::files() {
  return db_
      .query("SELECT file_pk, name, length, last_number, small_frames, written_at FROM raw_files ORDER BY file_pk")
      .all(row_at);
}

std::optional<FileRow> RawRows::file(std::string_view name) {
  auto& q = db_.query(
      "SELECT file_pk, name, length, last_number, small_frames, written_at FROM raw_files WHERE name = ?", name);
  std::optional<FileRow> out;
  if (const auto row = q.row()) out = row_at(*row);
  return out;
}

FileRow RawRows::create_file(std::string_view name) {
  db_.run("INSERT INTO raw_files (name, length) VALUES (?, 0)", name);
  FileRow row;
  row.pk = db_.last_insert_rowid();
  row.name = name;
  return row;
}

void RawRows::save(const FileRow& r) {
  db_.run("UPDATE raw_files SET length = ?2, last_number = ?3, small_frames = ?4, written_at = ?5 WHERE file_pk = ?1",
          r.pk, r.length, r.last_number, r.small_frames, r.written_at);
}

void RawRows::remove_file(std::string_view name) {
  db_.run("DELETE FROM raw_frames WHERE file_pk = (SELECT file_pk FROM raw_files WHERE name = ?)", name);
  db_.run("DELETE FROM raw_files WHERE name = ?", name);
}

std::uint64_t RawRows::last_number() {
  const auto row = db_.query("SELECT coalesce(max(last_number), 0) FROM raw_files").row();
  const auto n = static_cast<std::uint64_t>(row->int64(0));
  return n;
}

std::vector<FrameRow> RawRows::frames(std::int64_t file) {
  return db_
      .query(
          "SELECT file_offset, file_length, first_number, last_number, source_pk, bytes FROM raw_frames"
          " WHERE file_pk = ? ORDER BY file_offset",
          file)
      .all(sqlite::fields_of<FrameRow>);
}

void RawRows::add_frame(std::int64_t file, std::uint64_t offset, std::uint64_t length, SourceId source,
                        const FrameHeader& h) {
  const FrameRange range = h.range();
  const std::string session = h.kind == FrameKind::items ? h.session() : std::string();
  db_.run(
      "INSERT OR REPLACE INTO raw_frames (file_pk, file_offset, file_length, first_number, last_number, source_pk,"
      " generation, session_uid, range_first, range_end, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      file, offset, length, h.parts.front().number, h.parts.back().number, source, h.generation, session, range.first,
      range.end, h.content_bytes());
}

void RawRows::drop_frames(std::int64_t file, std::uint64_t from_offset) {
  db_.run("DELETE FROM raw_frames WHERE file_pk = ? AND file_offset >= ?", file, from_offset);
}

SourceId RawRows::source_of(const FrameHeader& h) {
  db_.run(
      "INSERT INTO sources (platform, path, format, session_uid) VALUES (?, ?, ?, ?)"
      " ON CONFLICT (platform, path) DO NOTHING",
      to_string(h.platform), h.path, static_cast<int>(h.format), h.session_uid);
  return db_.query("SELECT source_pk FROM sources WHERE platform = ? AND path = ?", to_string(h.platform), h.path)
      .value_or(0);
}

FileRow adopt(sqlite::Database& db, const fs::path& directory, const FrameSeal& seal, const std::string& name) {
  RawRows rows(db);
  FileRow file = rows.create_file(name);
  const auto mapped = FileBytes::open(directory / name);
  if (!mapped) {
    if (mapped.error().is(Errc::not_found)) return file;
    throw ErrorException(mapped.error());
  }
  const RawScan scan = scan_or_throw(mapped->bytes(), name, seal);
  add_rows(rows, file, scan);
  file.length = scan.intact_end;
  rows.save(file);
  return file;
}

void reconcile(sqlite::Database& db, const fs::path& directory, const FrameSeal& seal, FileRow file, TimeMs now) {
  const auto mapped = FileBytes::open(directory / file.name);
  if (!mapped && !mapped.error().is(Errc::not_found)) throw ErrorException(mapped.error());
  RawScan scan = mapped ? scan_or_throw(mapped->bytes(), file.name, seal) : RawScan();
  // Part numbers are unique and only grow, so they show which frames were committed regardless of their positions.
  while (!scan.frames.empty()) {
    const auto& parts = scan.frames.back().frame.header.parts;
    if (parts.empty() || parts.back().number <= file.last_number) break;
    scan.frames.pop_back();
  }
  scan.intact_end = scan.frames.empty() ? 0 : scan.frames.back().offset + scan.frames.back().frame.length;

  RawRows rows(db);
  std::set<std::uint64_t> there;
  for (const auto& f : scan.frames)
    for (const auto& p : f.frame.header.parts)
      there.insert(p.number);
  std::set<SourceId> lost;
  for (const auto& row : rows.frames(file.pk))
    if (!there.contains(row.first_number) || !there.contains(row.last_number)) lost.insert(row.source);
  rows.drop_frames(file.pk, 0);
  const std::uint64_t before = file.length;
  add_rows(rows, file, scan);
  file.length = scan.intact_end;
  rows.save(file);
  for (const SourceId source : lost)
    read_again(db, source, before > file.length ? before - file.length : 0, now);
}

}  // namespace memd::raw

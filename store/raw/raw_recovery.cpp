#include "store/raw/raw_recovery.hpp"

#include "schemas/diagnostic.hpp"
#include "store/raw/raw_file.hpp"

#include <set>
#include <system_error>

namespace memd::raw {
namespace fs = std::filesystem;
namespace {

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

void log(sqlite::Database& db, SourceId source, std::string_view detail, std::uint64_t bytes, TimeMs now) {
  db.prepare(
        "INSERT INTO ingestion_log (time, source_pk, platform, what, detail, bytes) SELECT ?1, source_pk, platform,"
        " 'raw_layer_lost', ?3, ?4 FROM sources WHERE source_pk = ?2")
      .bind(now, source, detail, bytes)
      .run();
  db.prepare(
        "INSERT INTO diagnostics (time, platform, error_type, severity, source_pk, redacted, expires_at)"
        " SELECT ?1, platform, ?3, 0, source_pk, 1, ?1 + ?4 FROM sources WHERE source_pk = ?2")
      .bind(now, source, to_string(DiagnosticType::raw_layer_lost), kDiagnosticRetention)
      .run();
}

// Its events stay and are recognised when they come again; the ledger and the cursor start anew.
void read_again(sqlite::Database& db, SourceId source, std::uint64_t bytes, TimeMs now) {
  auto& q = db.prepare("SELECT path FROM sources WHERE source_pk = ?");
  q.bind(source);
  const std::string path = q.step() ? q.str(0) : std::string();
  q.reset();
  std::error_code ec;
  if (path.empty() || !fs::exists(path, ec))
    return log(db, source, "records are lost, and the source is gone", bytes, now);
  db.prepare(
        "UPDATE sources SET cursor = 0, open_tail = '', mark = '', size = 0, mtime = 0, generation = generation + 1"
        " WHERE source_pk = ?")
      .bind(source)
      .run();
  db.prepare("DELETE FROM coverage WHERE source_pk = ?").bind(source).run();
  db.prepare("DELETE FROM source_items WHERE source_pk = ?").bind(source).run();
  log(db, source, "records are lost, the source is read again", bytes, now);
}

}  // namespace

FileRow adopt(sqlite::Database& db, const fs::path& directory, const std::string& name) {
  RawRows rows(db);
  FileRow file = rows.create_file(name);
  const auto mapped = MappedFile::open(directory / name);
  if (!mapped) {
    if (mapped.error().is(Errc::not_found)) return file;
    throw ErrorException(mapped.error());
  }
  const RawScan scan = scan_frames(mapped->bytes());
  add_rows(rows, file, scan);
  file.length = scan.intact_end;
  rows.save(file);
  return file;
}

void reconcile(sqlite::Database& db, const fs::path& directory, FileRow file, TimeMs now) {
  const auto mapped = MappedFile::open(directory / file.name);
  if (!mapped && !mapped.error().is(Errc::not_found)) throw ErrorException(mapped.error());
  RawScan scan = mapped ? scan_frames(mapped->bytes()) : RawScan();
  // Numbers of parts are given once and only grow: they tell what was committed, however the frames stand now.
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

#include "store/raw/raw_rows.hpp"

namespace memd::raw {
namespace {

FileRow row_at(sqlite::Statement& q) {
  return {q.int64(0),
          q.str(1),
          static_cast<std::uint64_t>(q.int64(2)),
          static_cast<std::uint64_t>(q.int64(3)),
          static_cast<std::uint64_t>(q.int64(4)),
          q.int64(5)};
}

}  // namespace

std::vector<FileRow> RawRows::files() {
  std::vector<FileRow> out;
  auto& q = db_.prepare(
      "SELECT file_pk, name, length, last_number, small_frames, written_at FROM raw_files ORDER BY file_pk");
  q.bind();
  while (q.step())
    out.push_back(row_at(q));
  q.reset();
  return out;
}

std::optional<FileRow> RawRows::file(std::string_view name) {
  auto& q =
      db_.prepare("SELECT file_pk, name, length, last_number, small_frames, written_at FROM raw_files WHERE name = ?");
  q.bind(name);
  std::optional<FileRow> out;
  if (q.step()) out = row_at(q);
  q.reset();
  return out;
}

FileRow RawRows::create_file(std::string_view name) {
  db_.prepare("INSERT INTO raw_files (name, length) VALUES (?, 0)").bind(name).run();
  FileRow row;
  row.pk = db_.last_insert_rowid();
  row.name = name;
  return row;
}

void RawRows::save(const FileRow& r) {
  db_.prepare(
         "UPDATE raw_files SET length = ?2, last_number = ?3, small_frames = ?4, written_at = ?5 WHERE file_pk = ?1")
      .bind(r.pk, r.length, r.last_number, r.small_frames, r.written_at)
      .run();
}

std::uint64_t RawRows::last_number() {
  auto& q = db_.prepare("SELECT coalesce(max(last_number), 0) FROM raw_files");
  q.bind();
  q.step();
  const auto n = static_cast<std::uint64_t>(q.int64(0));
  q.reset();
  return n;
}

std::vector<FrameRow> RawRows::frames(std::int64_t file) {
  std::vector<FrameRow> out;
  auto& q = db_.prepare(
      "SELECT file_offset, file_length, first_number, last_number, source_pk, bytes FROM raw_frames"
      " WHERE file_pk = ? ORDER BY file_offset");
  q.bind(file);
  const auto u = [&q](int column) { return static_cast<std::uint64_t>(q.int64(column)); };
  while (q.step())
    out.push_back({u(0), u(1), u(2), u(3), q.int64(4), u(5)});
  q.reset();
  return out;
}

void RawRows::add_frame(std::int64_t file, std::uint64_t offset, std::uint64_t length, SourceId source,
                        const FrameHeader& h) {
  const FrameRange range = h.range();
  const std::string session = h.kind == FrameKind::items ? h.session() : std::string();
  db_.prepare(
         "INSERT OR REPLACE INTO raw_frames (file_pk, file_offset, file_length, first_number, last_number, source_pk,"
         " generation, session_uid, range_first, range_end, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(file, offset, length, h.parts.front().number, h.parts.back().number, source, h.generation, session,
            range.first, range.end, h.content_bytes())
      .run();
}

void RawRows::drop_frames(std::int64_t file, std::uint64_t from_offset) {
  db_.prepare("DELETE FROM raw_frames WHERE file_pk = ? AND file_offset >= ?").bind(file, from_offset).run();
}

SourceId RawRows::source_of(const FrameHeader& h) {
  db_.prepare(
         "INSERT INTO sources (platform, path, format, session_uid) VALUES (?, ?, ?, ?)"
         " ON CONFLICT (platform, path) DO NOTHING")
      .bind(to_string(h.platform), h.path, static_cast<int>(h.format), h.session_uid)
      .run();
  auto& q = db_.prepare("SELECT source_pk FROM sources WHERE platform = ? AND path = ?");
  q.bind(to_string(h.platform), h.path);
  q.step();
  const SourceId id = q.int64(0);
  q.reset();
  return id;
}

}  // namespace memd::raw

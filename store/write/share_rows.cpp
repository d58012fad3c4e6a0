#include "store/write/share_rows.hpp"

#include "schemas/base/hash.hpp"
#include "store/read/shares.hpp"

namespace memd::shares {

std::int64_t add(sqlite::Database& db, const ShareRow& share) {
  db.run(
      "INSERT INTO shares (place, project, project_key, share_id, invitation) VALUES (?, ?, ?, ?, ?)"
      " ON CONFLICT DO NOTHING",
      share.place, share.project, share.project_key, share.share_id, share.invitation);
  return db.query("SELECT share_pk FROM shares WHERE place = ? AND project = ?", share.place, share.project)
      .value_or(0);
}

void remove(sqlite::Database& db, std::int64_t share_pk) { db.run("DELETE FROM shares WHERE share_pk = ?", share_pk); }

void save(sqlite::Database& db, std::int64_t share_pk, const SharedSessionRow& s) {
  db.run(
      "INSERT OR REPLACE INTO shared_sessions (share_pk, session_uid, next_seq, last_event, ingested_at, is_out)"
      " VALUES (?, ?, ?, ?, ?, ?)",
      share_pk, s.session_uid, s.next_seq, as_sql(s.last_event), s.ingested_at, s.is_out);
}

void add(sqlite::Database& db, std::int64_t share_pk, const SharedSegmentRow& s) {
  db.run(
      "INSERT OR IGNORE INTO shared_segments (share_pk, name, machine, session_uid, events, bytes, known_at)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)",
      share_pk, s.name, s.machine, s.session_uid, s.events, s.bytes, s.known_at);
}

void remove_segments(sqlite::Database& db, std::int64_t share_pk, std::string_view session_uid,
                     std::string_view machine) {
  db.run("DELETE FROM shared_segments WHERE share_pk = ? AND session_uid = ? AND machine = ?", share_pk, session_uid,
         machine);
}

void mark(sqlite::Database& db, std::string_view machine, std::string_view shared_by) {
  static const std::string sql =
      "UPDATE sessions AS s SET shared_by = ?2 WHERE s.shared_by = '' AND s.uid IN"
      " (SELECT session_uid FROM shared_segments WHERE machine = ?1) AND NOT " +
      std::string(queries::kIsOfThisMachine);
  db.run(sql, machine, shared_by);
}

void unmark_own(sqlite::Database& db) {
  static const std::string sql =
      "UPDATE sessions AS s SET shared_by = '' WHERE s.shared_by <> '' AND " + std::string(queries::kIsOfThisMachine);
  db.exec(sql.c_str());
}

void take_over(sqlite::Database& from, sqlite::Database& to) {
  for (const ShareRow& share : SharesQuery().run(from)) {
    const std::int64_t pk = add(to, share);
    for (const auto& session : SharedSessionsQuery{share.pk}.run(from))
      save(to, pk, session);
    for (const auto& segment : SharedSegmentsQuery{share.pk}.run(from))
      add(to, pk, segment);
  }
}

}  // namespace memd::shares

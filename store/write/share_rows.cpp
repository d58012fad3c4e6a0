#include "store/write/share_rows.hpp"

#include "schemas/base/hash.hpp"
#include "store/db/rows.hpp"
#include "store/read/shares.hpp"
#include "store/write/project_rows.hpp"

namespace memd::shares {

std::int64_t add(sqlite::Database& db, const ShareRow& share) {
  // What was written to an earlier share of the name, which is gone, says nothing of this one.
  db.run("DELETE FROM shares WHERE place = ? AND project = ? AND share_id <> ?", share.place, share.project,
         share.share_id);
  db.run(
      "INSERT INTO shares (place, project, project_key, share_id, invitation) VALUES (?, ?, ?, ?, ?)"
      " ON CONFLICT DO UPDATE SET project_key = excluded.project_key, invitation = excluded.invitation",
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

void join_projects(sqlite::Database& db, const ShareRow& share) {
  if (share.project_key.empty()) return;
  const auto keys =
      db.query(
            "SELECT DISTINCT p.identity_key FROM shared_segments g JOIN sessions s ON s.uid = g.session_uid"
            " JOIN projects p ON p.project_pk = s.own_project_pk WHERE g.share_pk = ?1 AND s.shared_by <> ''"
            " AND p.merged_into = '' AND p.identity_key <> ?2 AND NOT EXISTS"
            " (SELECT 1 FROM sessions o WHERE o.own_project_pk = p.project_pk AND o.shared_by = '')",
            share.pk, share.project_key)
          .all(sqlite::first_text);
  for (const auto& key : keys)
    (void)projects::merge(db, key, share.project_key);  // not where that project belongs to it
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

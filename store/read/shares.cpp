#include "store/read/shares.hpp"

#include "store/db/rows.hpp"

namespace memd {

std::vector<ShareRow> SharesQuery::run(sqlite::Database& db) const {
  return db
      .query("SELECT share_pk, place, project, project_key, share_id, invitation FROM shares ORDER BY project, place")
      .all(sqlite::fields_of<ShareRow>);
}

std::vector<SharedSessionRow> SharedSessionsQuery::run(sqlite::Database& db) const {
  return db
      .query("SELECT session_uid, next_seq, last_event, ingested_at, is_out FROM shared_sessions WHERE share_pk = ?",
             share_pk)
      .all(sqlite::fields_of<SharedSessionRow>);
}

std::vector<SharedSegmentRow> SharedSegmentsQuery::run(sqlite::Database& db) const {
  return db
      .query(
          "SELECT name, machine, session_uid, events, bytes, known_at FROM shared_segments WHERE share_pk = ?"
          " ORDER BY known_at, name",
          share_pk)
      .all(sqlite::fields_of<SharedSegmentRow>);
}

std::vector<ChangedSharedSessionsQuery::Row> ChangedSharedSessionsQuery::run(sqlite::Database& db) const {
  static const std::string sql =
      "SELECT s.session_pk, s.uid, s.next_seq, s.ingested_at,"
      // Rows that were written anew are shared anew.
      " CASE WHEN w.next_seq <= s.next_seq AND w.last_event = coalesce((SELECT e.event_id FROM events e"
      "   WHERE e.session_pk = s.session_pk AND e.seq = w.next_seq - 1), 0) THEN w.next_seq ELSE 0 END,"
      " coalesce((SELECT e.event_id FROM events e WHERE e.session_pk = s.session_pk AND e.seq = s.next_seq - 1), 0),"
      " coalesce((SELECT c.sha FROM commits c WHERE c.session_pk = s.session_pk ORDER BY c.time DESC LIMIT 1), ''),"
      " EXISTS (SELECT 1 FROM shared_segments g WHERE g.session_uid = s.uid AND g.machine = ?2) OR " +
      std::string(queries::kIsOfThisMachine) +
      " FROM sessions s JOIN projects p ON p.project_pk IN (s.project_pk, s.own_project_pk)"
      " LEFT JOIN shared_sessions w ON w.share_pk = ?1 AND w.session_uid = s.uid"
      " WHERE p.identity_key = ?3 AND s.shared_by = '' AND s.next_seq > 0 "
      "AND coalesce(w.is_out, 0) = 0"
      " AND coalesce(w.ingested_at, 0) <> s.ingested_at AND s.evicted_at IS NULL"
      " AND (NOT EXISTS (SELECT 1 FROM shared_segments g WHERE g.session_uid = s.uid AND g.machine <> ?2) OR " +
      std::string(queries::kIsOfThisMachine) + ") GROUP BY s.session_pk ORDER BY s.started_at, s.session_pk";
  return db.query(sql, share_pk, machine, project_key).all(sqlite::fields_of<Row>);
}

std::vector<std::string> OwnProjectsQuery::run(sqlite::Database& db) const {
  return db
      .query(
          "SELECT identity_key FROM projects p WHERE name = ? COLLATE NOCASE AND EXISTS"
          " (SELECT 1 FROM sessions s WHERE s.project_pk = p.project_pk AND s.shared_by = '') ORDER BY identity_key",
          name)
      .all(sqlite::first_text);
}

std::vector<std::string> SharedByOthersQuery::run(sqlite::Database& db) const {
  std::vector<std::string> out;
  for (const auto& uid : session_uids)
    if (db.query("SELECT 1 FROM sessions WHERE uid = ? AND shared_by <> ''", uid).any()) out.push_back(uid);
  return out;
}

}  // namespace memd

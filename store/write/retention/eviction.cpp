#include "store/write/retention/eviction.hpp"

#include "schemas/sql_text.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/sources/left_out.hpp"

#include <optional>

namespace memd::retention {
namespace {

void forget_session(sqlite::Database& db, std::int64_t session) {
  assembly::forget_texts(db, "session_pk = ?1", session);
  for (const char* sql : {"DELETE FROM exchange_files WHERE session_pk = ?",
                          "DELETE FROM observations WHERE session_pk = ?", "DELETE FROM responses WHERE session_pk = ?",
                          "DELETE FROM exchanges WHERE session_pk = ?", "DELETE FROM events WHERE session_pk = ?"})
    db.prepare(sql).bind(session).run();
}

void move_in_ledger(sqlite::Database& db, SourceId source, std::string_view type, std::int64_t records,
                    std::int64_t bytes, std::string_view reason) {
  db.prepare(sql_text("UPDATE coverage SET records = records - ?3, bytes = bytes - ?4"
                      " WHERE source_pk = ?1 AND record_type = ?2 AND disposition = Disposition::indexed"))
      .bind(source, type, records, bytes)
      .run();
  db.prepare("DELETE FROM coverage WHERE source_pk = ? AND records = 0 AND bytes = 0").bind(source).run();
  db.prepare(sql_text("INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes)"
                      " VALUES (?, ?, Disposition::skipped, ?, ?, ?) ON CONFLICT DO UPDATE"
                      " SET records = records + excluded.records, bytes = bytes + excluded.bytes"))
      .bind(source, type, reason, records, bytes)
      .run();
}

struct LedgerLine {
  SourceId source = 0;
  std::string type;
  std::int64_t records = 0;
  std::int64_t bytes = 0;
};

std::vector<LedgerLine> lines(sqlite::Database& db, std::string_view sql, std::string_view uid) {
  std::vector<LedgerLine> out;
  auto& q = db.prepare(sql);
  q.bind(uid);
  while (q.step())
    out.push_back({q.int64(0), q.str(1), q.int64(2), q.int64(3)});
  q.reset();
  return out;
}

void account(sqlite::Database& db, std::string_view uid, std::string_view reason) {
  for (const auto& line : lines(db,
                                sql_text("SELECT c.source_pk, c.record_type, c.records, c.bytes"
                                         " FROM coverage c JOIN sources o USING (source_pk)"
                                         " WHERE o.session_uid = ? AND c.disposition = Disposition::indexed"),
                                uid))
    move_in_ledger(db, line.source, line.type, line.records, line.bytes, reason);
  // Sources of many sessions: this one's items.
  for (const auto& line :
       lines(db,
             sql_text("SELECT i.source_pk, i.record_type, count(*), sum(i.bytes)"
                      " FROM source_items i JOIN sources o USING (source_pk)"
                      " WHERE i.session_uid = ?1 AND o.session_uid <> ?1 AND i.disposition = Disposition::indexed"
                      " AND i.flags & kItemGone = 0 GROUP BY 1, 2"),
             uid))
    move_in_ledger(db, line.source, line.type, line.records, line.bytes, reason);
  db.prepare(sql_text("UPDATE source_items SET disposition = Disposition::skipped, reason = ?"
                      " WHERE session_uid = ? AND disposition = Disposition::indexed"))
      .bind(reason, uid)
      .run();
}

// The session's row, whose texts are gone and accounted for.
std::optional<std::int64_t> forget(sqlite::Database& db, std::string_view uid, std::string_view reason) {
  auto& q = db.prepare("SELECT session_pk FROM sessions WHERE uid = ?");
  q.bind(uid);
  const std::optional<std::int64_t> session = q.step() ? std::optional(q.int64(0)) : std::nullopt;
  q.reset();
  if (!session) return std::nullopt;
  forget_session(db, *session);
  account(db, uid, reason);
  return session;
}

}  // namespace

bool remove(sqlite::Database& db, std::string_view uid, std::string_view reason) {
  const auto session = forget(db, uid, reason);
  if (session) db.prepare("DELETE FROM sessions WHERE session_pk = ?").bind(*session).run();
  return session.has_value();
}

bool evict(sqlite::Database& db, std::string_view uid, TimeMs now) {
  const auto session = forget(db, uid, kEvictedReason);
  if (!session) return false;
  db.prepare(
        "UPDATE sessions SET analyzed_at = coalesce(analyzed_at, ?2), evicted_at = ?2, evicted_through = ended_at"
        " WHERE session_pk = ?1")
      .bind(*session, now)
      .run();
  return true;
}

void EvictedSessions::load(sqlite::Database& db) {
  through_.clear();
  auto& q = db.prepare("SELECT uid, evicted_through FROM sessions WHERE evicted_at IS NOT NULL");
  q.bind();
  while (q.step())
    through_[q.str(0)] = q.int64(1);
  q.reset();
}

void EvictedSessions::filter(SourceSlice& slice) const {
  const auto is_out = [this](const Event& e) {
    const auto it = through_.find(e.session_uid);
    return it != through_.end() && e.time <= it->second;
  };
  ingestion::leave_out(slice, is_out, kEvictedReason);
}

}  // namespace memd::retention

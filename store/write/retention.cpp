#include "store/write/retention.hpp"

#include "schemas/sql_text.hpp"
#include "store/completions/summaries_file.hpp"
#include "store/db/rows.hpp"
#include "store/db/store_copies.hpp"
#include "store/db/store_layout.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/raw/raw_layer.hpp"
#include "store/write/assembler.hpp"
#include "store/write/evicted_rows.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/left_out.hpp"
#include "store/write/source_rows.hpp"
#include "store/write/writer.hpp"

#include <optional>

namespace memd {
namespace retention {
namespace {

void forget_session(sqlite::Database& db, std::int64_t session) {
  assembly::forget_texts(db, "session_pk = ?1", session);
  for (const char* sql :
       {"DELETE FROM exchange_files WHERE session_pk = ?", "DELETE FROM observations WHERE session_pk = ?",
        "DELETE FROM responses WHERE session_pk = ?", "DELETE FROM session_accounts WHERE session_pk = ?",
        "DELETE FROM commits WHERE session_pk = ?", "DELETE FROM pull_requests WHERE session_pk = ?",
        "DELETE FROM exchanges WHERE session_pk = ?", "DELETE FROM silent_records WHERE session_pk = ?",
        "DELETE FROM events WHERE session_pk = ?"})
    db.run(sql, session);
}

void move_in_ledger(sqlite::Database& db, SourceId source, std::string_view type, std::int64_t records,
                    std::int64_t bytes, std::string_view reason) {
  db.run(sql_text("UPDATE coverage SET records = records - ?3, bytes = bytes - ?4"
                  " WHERE source_pk = ?1 AND record_type = ?2 AND disposition = Disposition::indexed"),
         source, type, records, bytes);
  db.run("DELETE FROM coverage WHERE source_pk = ? AND records = 0 AND bytes = 0", source);
  ingestion::add_coverage(db, source, type, Disposition::skipped, reason, from_sql(records), from_sql(bytes));
}

struct LedgerLine {
  SourceId source = 0;
  std::string type;
  std::int64_t records = 0;
  std::int64_t bytes = 0;
};

std::vector<LedgerLine> lines(sqlite::Database& db, std::string_view sql, std::string_view uid) {
  return db.query(sql, uid).all(sqlite::fields_of<LedgerLine>);
}

void account(sqlite::Database& db, std::string_view uid, std::string_view reason) {
  for (const auto& line : lines(db,
                                sql_text("SELECT c.source_pk, c.record_type, c.records, c.bytes"
                                         " FROM coverage c JOIN sources o USING (source_pk)"
                                         " WHERE o.session_uid = ? AND c.disposition = Disposition::indexed"),
                                uid))
    move_in_ledger(db, line.source, line.type, line.records, line.bytes, reason);
  // Sources that contain several sessions: counts this session's items.
  for (const auto& line :
       lines(db,
             sql_text("SELECT i.source_pk, i.record_type, count(*), sum(i.bytes)"
                      " FROM source_items i JOIN sources o USING (source_pk)"
                      " WHERE i.session_uid = ?1 AND o.session_uid <> ?1 AND i.disposition = Disposition::indexed"
                      " AND i.flags & kItemGone = 0 GROUP BY 1, 2"),
             uid))
    move_in_ledger(db, line.source, line.type, line.records, line.bytes, reason);
  db.run(sql_text("UPDATE source_items SET disposition = Disposition::skipped, reason = ?"
                  " WHERE session_uid = ? AND disposition = Disposition::indexed"),
         reason, uid);
}

std::optional<std::int64_t> session_of(sqlite::Database& db, std::string_view uid, std::string_view condition) {
  return db.query("SELECT session_pk FROM sessions WHERE uid = ? AND " + std::string(condition), uid).number();
}

void set_time(sqlite::Database& db, std::string_view key, TimeMs time) {
  db.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, time);
}

void announce(sqlite::Database& db, const RetentionPolicy& policy, TimeMs now) {
  const std::string key = policy.is_set() ? policy_key(policy) : std::string();
  db.run("DELETE FROM meta WHERE substr(key, 1, length(?1)) = ?1 AND key <> ?2", kPolicyKeys, key);
  if (policy.is_set()) db.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", key, now);
}

// The notice stays as long as more than the allowed share is due.
void announce_large(sqlite::Database& db, bool is_large, TimeMs now) {
  if (!is_large) db.run("DELETE FROM meta WHERE key = ?", kLargeKey);
  if (is_large) db.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", kLargeKey, now);
}

}  // namespace

bool remove(sqlite::Database& db, std::string_view uid, std::string_view reason) {
  const auto session = session_of(db, uid, "true");
  if (!session) return false;
  forget_session(db, *session);
  account(db, uid, reason);
  db.run("DELETE FROM sessions WHERE session_pk = ?", *session);
  return true;
}

std::optional<Freed> evict(sqlite::Database& db, std::string_view uid, TimeMs now) {
  const auto session = session_of(db, uid, kEvictableCondition);
  if (!session) return std::nullopt;
  const Freed freed = keep_first_lines(db, *session);
  account(db, uid, kEvictedReason);
  db.run("UPDATE sessions SET evicted_at = ?2, evicted_through = ended_at WHERE session_pk = ?1", *session, now);
  return freed;
}

}  // namespace retention

Result<void> Retention::announce(const RetentionPolicy& policy) {
  return writer_.transact([&](sqlite::Database& db) { retention::announce(db, policy, writer_.clock_.now()); });
}

TimeMs Retention::last_pass() {
  const auto at =
      writer_.transact([](sqlite::Database& db) { return retention::time_of(db, retention::kLastPassKey, 0); });
  return at ? *at : 0;
}

Result<Retention::Dropped> Retention::enforce(const RetentionPolicy& policy, const GoOn& go_on) {
  const TimeMs now = writer_.clock_.now();
  MEMD_TRY_ASSIGN(const RetentionPlan plan, writer_.transact([&](sqlite::Database& db) {
    retention::announce(db, policy, now);
    retention::announce_large(db, retention::plan(db, policy, now, now).is_large, now);
    retention::set_time(db, retention::kLastPassKey, now);
    return retention::plan(db, policy, now, now);
  }));
  std::vector<std::string> uids;
  for (const PlannedEviction& drop : plan.drops)
    if (drop.goes_at <= now) uids.insert(uids.end(), drop.members.begin(), drop.members.end());
  return evict(uids, go_on);
}

Result<Retention::Dropped> Retention::drop_due(const RetentionPolicy& policy) {
  const TimeMs now = writer_.clock_.now();
  MEMD_TRY_ASSIGN(const RetentionPlan plan,
                  writer_.transact([&](sqlite::Database& db) { return retention::plan(db, policy, now, now); }));
  std::vector<std::string> uids;
  for (const PlannedEviction& drop : plan.drops)
    uids.insert(uids.end(), drop.members.begin(), drop.members.end());
  return evict(uids);
}

Result<Retention::Dropped> Retention::evict(const std::vector<std::string>& session_uids, const GoOn& go_on) {
  MEMD_TRY(writer_.commit());
  Dropped out;
  if (session_uids.empty()) return out;
  // Done first, so that nothing of a deleted session is left if the process is killed in between.
  const StoreLayout layout(writer_.file_.parent_path());
  MEMD_TRY(remove_copies_of_store(layout));
  MEMD_TRY(completions::forget_answers(layout.summaries(), session_uids));
  auto result = sqlite::guard([&] {
    for (const auto& uid : session_uids) {
      if (go_on && !go_on()) break;
      // One session at a time, and the rows before the raw records: what is cut out of a file cannot be restored.
      sqlite::Transaction transaction(writer_.db_);
      const auto freed = retention::evict(writer_.db_, uid, writer_.clock_.now());
      if (!freed) continue;
      if (writer_.raw_) writer_.db_.run("INSERT OR IGNORE INTO raw_evictions VALUES (?)", uid);
      transaction.commit();
      ++out.sessions;
      out.exchanges += static_cast<std::uint64_t>(freed->exchanges);
      out.events += static_cast<std::uint64_t>(freed->events);
      out.raw_bytes += cut_records();
    }
    sqlite::Transaction transaction(writer_.db_);
    enrichment::prune_identifiers(writer_.db_);
    transaction.commit();
  });
  writer_.assembler_->forget();
  if (auto loaded = sqlite::guard([&] { writer_.evicted_->load(writer_.db_); }); !loaded) return loaded.error();
  if (!result) return result.error();
  return out;
}

// One transaction per file, committed once the file is replaced. If the process is killed before that, the file is cut
// again.
std::uint64_t Retention::cut_records() {
  if (!writer_.raw_) return 0;
  auto& q = writer_.db_.query("SELECT session_uid FROM raw_evictions ORDER BY 1");
  std::uint64_t bytes = 0;
  for (const auto& uid : q.all(sqlite::first_text)) {
    sqlite::Transaction transaction(writer_.db_);
    writer_.db_.run("DELETE FROM raw_evictions WHERE session_uid = ?", uid);
    bytes += writer_.raw_->evict(uid, retention::record_of(writer_.db_, uid), writer_.clock_.now());
    transaction.commit();
  }
  return bytes;
}

Result<void> Retention::restore(const std::vector<std::string>& records) {
  std::vector<ExchangeId> ids;
  MEMD_TRY(writer_.transact([&](sqlite::Database& db) {
    for (const auto& record : records)
      for (const ExchangeId id : retention::restore_rows(db, record))
        ids.push_back(id);
  }));
  writer_.assembler_->forget();
  writer_.assembler_->reserve(ids);
  return sqlite::guard([&] { writer_.evicted_->load(writer_.db_); });
}

}  // namespace memd

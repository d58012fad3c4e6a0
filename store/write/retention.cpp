#include "store/write/retention.hpp"

#include "schemas/sql_text.hpp"
#include "store/completions/summaries_file.hpp"
#include "store/db/store_layout.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_layer.hpp"
#include "store/write/assembler.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/left_out.hpp"
#include "store/write/writer.hpp"

#include <optional>
#include <utility>

namespace memd {
namespace retention {
namespace {

void forget_session(sqlite::Database& db, std::int64_t session) {
  assembly::forget_texts(db, "session_pk = ?1", session);
  for (const char* sql :
       {"DELETE FROM exchange_files WHERE session_pk = ?", "DELETE FROM observations WHERE session_pk = ?",
        "DELETE FROM responses WHERE session_pk = ?", "DELETE FROM exchanges WHERE session_pk = ?",
        "DELETE FROM silent_records WHERE session_pk = ?", "DELETE FROM events WHERE session_pk = ?"})
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

// The rows that outlive an eviction, as text in the raw layer.

constexpr std::uint64_t kVersion = 2;  // 1: sessions have a state and no digest

constexpr std::string_view kSessionColumns =
    "uid, platform, native_id, kind, parent_uid, parent_call_id, forked_from, agent_name, title, title_rank,"
    " description, cwd, git_branch, model, agent_version, started_at, ended_at, outcome, tokens_input,"
    " tokens_output, tokens_cache_read, tokens_cache_creation, turns, retries, tool_calls, tool_pairs, tool_errors,"
    " compactions, next_seq, next_exchange, discovered_at, ingested_at, analyzed_at, evicted_at, evicted_through";
constexpr std::size_t kStateOfVersion1 = 17;  // behind ended_at
constexpr std::string_view kSessionColumnsOfVersion2 = ", stopped_at, repo, analysis_version";
constexpr std::string_view kSourceColumns =
    "platform, path, format, state, state_reason, device, inode, head_hash, head_length, size, mtime, cursor,"
    " generation, open_tail, session_uid, mark";

using Row = std::vector<std::optional<std::string>>;

std::vector<Row> select(sqlite::Database& db, const std::string& sql, std::string_view key) {
  std::vector<Row> out;
  auto& q = db.prepare(sql);
  q.bind(key);
  while (q.step()) {
    Row row;
    for (int i = 0; i < sqlite3_data_count(q.handle()); ++i)
      row.push_back(q.is_null(i) ? std::nullopt : std::optional(q.str(i)));
    out.push_back(std::move(row));
  }
  q.reset();
  return out;
}

void put(raw::ByteWriter& w, const std::vector<Row>& rows) {
  w.number(rows.size());
  for (const auto& row : rows) {
    w.number(row.size());
    for (const auto& value : row) {
      w.number(value ? 1 : 0);
      if (value) w.text(*value);
    }
  }
}

std::vector<Row> get(raw::ByteReader& r) {
  std::vector<Row> rows;
  for (auto n = r.number(); n > 0 && r.ok(); --n) {
    auto& row = rows.emplace_back();
    for (auto columns = r.number(); columns > 0 && r.ok(); --columns) {
      const bool there = r.number() != 0;
      row.push_back(there ? std::optional(r.text()) : std::nullopt);
    }
  }
  return rows;
}

std::string places(std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    out += i == 0 ? "?" : ", ?";
  return out;
}

void insert(sqlite::Database& db, const std::string& sql, const Row& row) {
  auto& q = db.prepare(sql);
  q.reset();
  int index = 0;
  for (const auto& value : row) {
    ++index;
    if (value)
      q.bind_at(index, *value);
    else
      q.bind_at(index, nullptr);
  }
  q.run();
}

// Rows that begin with the uid of their session.
void restore_digests(sqlite::Database& db, const std::vector<Row>& digests, const std::vector<Row>& errors) {
  for (const auto& row : digests)
    insert(db,
           "INSERT INTO session_digests (session_pk, request, result, abstract, wall_clock_ms, source_path,"
           " source_bytes) VALUES ((SELECT session_pk FROM sessions WHERE uid = ?), ?, ?, ?, ?, ?, ?) ON CONFLICT DO "
           "NOTHING",
           row);
  for (const auto& row : errors)
    insert(db,
           "INSERT INTO digest_errors (session_pk, place, time, tool, text) VALUES ((SELECT session_pk FROM sessions"
           " WHERE uid = ?), ?, ?, ?, ?) ON CONFLICT DO NOTHING",
           row);
}

void restore_rows(sqlite::Database& db, std::string_view record) {
  raw::ByteReader r(record);
  const std::uint64_t version = r.number();
  if (version < 1 || version > kVersion) return;
  auto sessions = get(r);
  const auto sources = get(r);
  const auto coverage = get(r);
  const auto digests = version > 1 ? get(r) : std::vector<Row>();
  const auto errors = version > 1 ? get(r) : std::vector<Row>();
  if (!r.ok()) return;
  std::string session_columns(kSessionColumns);
  if (version > 1) session_columns += kSessionColumnsOfVersion2;
  if (version == 1)
    for (auto& row : sessions)
      if (row.size() > kStateOfVersion1) row.erase(row.begin() + kStateOfVersion1);
  for (const auto& row : sources) {
    if (row.size() < 2) continue;
    insert(db,
           "DELETE FROM coverage WHERE source_pk IN (SELECT source_pk FROM sources WHERE platform = ? AND path = ?)",
           {row[0], row[1]});
    insert(db,
           "INSERT INTO sources (" + std::string(kSourceColumns) + ") VALUES (" + places(row.size()) +
               ") ON CONFLICT (platform, path) DO UPDATE SET cursor = excluded.cursor, size = excluded.size,"
               " mtime = excluded.mtime, generation = excluded.generation, open_tail = excluded.open_tail",
           row);
  }
  for (const auto& row : coverage)
    insert(db,
           "INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes) VALUES ((SELECT"
           " source_pk FROM sources WHERE platform = ? AND path = ?), ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
           row);
  for (const auto& row : sessions)
    insert(db,
           "INSERT INTO sessions (" + session_columns + ") VALUES (" + places(row.size()) +
               ") ON CONFLICT (uid) DO UPDATE SET analyzed_at = excluded.analyzed_at,"
               " analysis_version = excluded.analysis_version,"
               " evicted_at = excluded.evicted_at, evicted_through = excluded.evicted_through,"
               " next_seq = excluded.next_seq, next_exchange = excluded.next_exchange",
           row);
  restore_digests(db, digests, errors);
}

// Remembers since when this age limit is in force.
void announce(sqlite::Database& db, const RetentionPolicy& policy, TimeMs now) {
  const std::string key = announcement_key(policy);
  db.prepare("DELETE FROM meta WHERE key LIKE 'retention_age_days:%' AND key <> ?").bind(key).run();
  if (policy.max_age_days > 0)
    db.prepare("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING").bind(key, now).run();
}

}  // namespace

bool remove(sqlite::Database& db, std::string_view uid, std::string_view reason) {
  const auto session = forget(db, uid, reason);
  if (session) db.prepare("DELETE FROM sessions WHERE session_pk = ?").bind(*session).run();
  return session.has_value();
}

bool evict(sqlite::Database& db, std::string_view uid, TimeMs now) {
  auto& analyzed = db.prepare("SELECT 1 FROM sessions WHERE uid = ? AND analysis_version > 0").bind(uid);
  const bool may_go = analyzed.step();
  analyzed.reset();
  if (!may_go) return false;
  const auto session = forget(db, uid, kEvictedReason);
  if (!session) return false;
  db.prepare("UPDATE sessions SET evicted_at = ?2, evicted_through = ended_at WHERE session_pk = ?1")
      .bind(*session, now)
      .run();
  return true;
}

std::string record_of(sqlite::Database& db, std::string_view uid) {
  raw::ByteWriter w;
  w.number(kVersion);
  put(w, select(db,
                "SELECT " + std::string(kSessionColumns) + std::string(kSessionColumnsOfVersion2) +
                    " FROM sessions WHERE uid = ?",
                uid));
  put(w, select(db, "SELECT " + std::string(kSourceColumns) + " FROM sources WHERE session_uid = ?", uid));
  put(w, select(db,
                "SELECT o.platform, o.path, c.record_type, c.disposition, c.reason, c.records, c.bytes FROM coverage c"
                " JOIN sources o USING (source_pk) WHERE o.session_uid = ?",
                uid));
  put(w, select(db,
                "SELECT s.uid, d.request, d.result, d.abstract, d.wall_clock_ms, d.source_path,"
                " d.source_bytes FROM session_digests d"
                " JOIN sessions s USING (session_pk) WHERE s.uid = ?",
                uid));
  put(w, select(db,
                "SELECT s.uid, e.place, e.time, e.tool, e.text FROM digest_errors e JOIN sessions s USING (session_pk)"
                " WHERE s.uid = ? ORDER BY e.place",
                uid));
  return w.take();
}

}  // namespace retention

Result<Retention::Dropped> Retention::enforce(const RetentionPolicy& policy, bool at_once) {
  const TimeMs now = writer_.clock_.now();
  MEMD_TRY_ASSIGN(const auto drops, writer_.transact([&](sqlite::Database& db) {
    retention::announce(db, policy, now);
    return retention::plan(db, policy, now, at_once ? now + kRetentionNotice : now);
  }));
  std::vector<std::string> uids;
  for (const auto& drop : drops) {
    // With the notice waived, what is not old enough by itself stays.
    if (policy.max_age_days > 0 && drop.due_at > now && drop.ended_at + policy.max_age_days * kMsPerDay > now) continue;
    uids.insert(uids.end(), drop.members.begin(), drop.members.end());
  }
  return evict(uids);
}

Result<Retention::Dropped> Retention::evict(const std::vector<std::string>& session_uids) {
  MEMD_TRY(writer_.commit());
  Dropped out;
  if (session_uids.empty()) return out;
  // First: killed in between, nothing is left of a session that is gone.
  MEMD_TRY(completions::forget_answers(StoreLayout(writer_.file_.parent_path()).summaries(), session_uids));
  auto result = sqlite::guard([&] {
    for (const auto& uid : session_uids) {
      // One at a time: the file and the rows of a session go together.
      sqlite::Transaction transaction(writer_.db_);
      if (!retention::evict(writer_.db_, uid, writer_.clock_.now())) continue;
      ++out.sessions;
      if (writer_.raw_)
        out.raw_bytes += writer_.raw_->evict(uid, retention::record_of(writer_.db_, uid), writer_.clock_.now());
      transaction.commit();
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

Result<void> Retention::restore(std::string_view record) {
  auto result = writer_.transact([&](sqlite::Database& db) { retention::restore_rows(db, record); });
  writer_.assembler_->forget();
  if (!result) return result;
  return sqlite::guard([&] { writer_.evicted_->load(writer_.db_); });
}

}  // namespace memd

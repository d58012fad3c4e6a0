#include "store/read/exchanges.hpp"

#include "schemas/hash.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"
#include "store/read/usage.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace memd {
namespace queries {
namespace {

// Columns in the order in which read_exchange reads them.
std::string columns(std::string_view title, std::string_view tool_text) {
  return "SELECT" + std::string(title) + std::string(kSessionHeadColumns) + std::string(kExchangeHeadColumns) + R"(,
  e.first_seq, e.last_seq, e.ended_at, e.origin, e.data_completeness,
  e.user_message, e.interventions, e.assistant_response, e.answer_offset, )" +
         std::string(tool_text) + R"(, e.git_branch, e.working_directory, e.model_used,
  e.tool_calls, e.tool_errors, e.lines_added, e.lines_removed,
  iif(e.raw_format_version = '', s.agent_version, e.raw_format_version), e.adapter_version, e.ingested_at
  FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk)" +
         std::string(kProjectOfSession);
}
const std::string kExchangesColumns = columns(kTitleColumns, "e.tool_text");

ExchangeRow read_exchange(sqlite::Database& db, const sqlite::Statement& q) {
  ExchangeRow r;
  read_head(q, r);
  r.first_seq = q.int64(10);
  r.last_seq = q.int64(11);
  r.ended_at = q.int64(12);
  r.origin = static_cast<Origin>(q.int64(13));
  r.completeness = static_cast<DataCompleteness>(q.int64(14));
  r.user_message = q.str(15);
  r.interventions = q.str(16);
  r.assistant_response = q.str(17);
  r.answer_offset = q.int64(18);
  r.tool_text = q.str(19);
  r.git_branch = q.str(20);
  r.working_directory = q.str(21);
  r.model_used = q.str(22);
  r.tool_calls = q.int64(23);
  r.tool_errors = q.int64(24);
  r.lines_added = q.int64(25);
  r.lines_removed = q.int64(26);
  r.raw_format_version = q.str(27);
  r.adapter_version = q.str(28);
  r.ingested_at = q.int64(29);
  r.tokens = exchange_tokens(db, r.session_pk, r.number);
  return r;
}

std::vector<ExchangeRow> read_all(sqlite::Database& db, sqlite::Statement& q) {
  std::vector<ExchangeRow> out;
  while (q.step())
    out.push_back(read_exchange(db, q));
  q.reset();
  return out;
}

std::optional<std::int64_t> optional_int(const sqlite::Statement& q, int column) {
  if (q.is_null(column)) return std::nullopt;
  return q.int64(column);
}

RawRef raw_ref(const sqlite::Statement& q, int first_column) {
  return {static_cast<std::uint64_t>(q.int64(first_column)), static_cast<std::uint32_t>(q.int64(first_column + 1)),
          static_cast<std::uint16_t>(q.int64(first_column + 2))};
}

}  // namespace

void read_head(const sqlite::Statement& q, ExchangeHead& head) {
  read_head(q, static_cast<SessionHead&>(head));
  head.id = q.int64(6);
  head.number = q.int64(7);
  head.started_at = q.int64(8);
  head.abandoned_for = q.int64(9);
}

std::vector<ExchangeRow> exchange_texts(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                                        std::int64_t last_number) {
  static const std::string sql = columns(" s.title, NULL", "NULL") +
                                 "WHERE e.session_pk = ?1 AND e.exchange_number BETWEEN ?2 AND ?3"
                                 " ORDER BY e.exchange_number";
  return read_all(db, db.prepare(sql).bind(session_pk, first_number, last_number));
}

}  // namespace queries

ExchangeRow ExchangeQuery::run(sqlite::Database& db) const {
  auto rows = ExchangesQuery{{&id, 1}}.run(db);
  if (rows.empty()) throw ErrorException(without_store());
  return std::move(rows.front());
}

std::vector<ExchangeRow> ExchangesQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql = kExchangesColumns + "WHERE e.exchange_pk = ?1";
  std::vector<ExchangeRow> out;
  auto& q = db.prepare(sql);
  for (const ExchangeId id : ids) {
    q.bind(id);
    if (q.step()) out.push_back(read_exchange(db, q));
  }
  q.reset();
  return out;
}

std::vector<ExchangeRow> LastExchangesQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql = kExchangesColumns + "WHERE e.session_pk = ?1 ORDER BY e.exchange_number DESC LIMIT ?2";
  auto out = read_all(db, db.prepare(sql).bind(session_pk, std::max(count, 0)));
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<ExchangeRow> ExchangeRangeQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql =
      kExchangesColumns + "WHERE e.session_pk = ?1 AND e.exchange_number BETWEEN ?2 AND ?3 ORDER BY e.exchange_number";
  return read_all(db, db.prepare(sql).bind(session_pk, first_number, last_number));
}

std::vector<ExchangeFile> ExchangeFilesQuery::run(sqlite::Database& db) const {
  std::vector<ExchangeFile> out;
  auto& q = db.prepare(
                  "SELECT p.path, f.access, f.touches, f.lines_added, f.lines_removed, f.path_pk"
                  " FROM exchange_files f JOIN paths p ON p.path_pk = f.path_pk"
                  " WHERE f.session_pk = ?1 AND f.exchange_number = ?2 ORDER BY p.path, f.access")
                .bind(session_pk, exchange_number);
  while (q.step())
    out.push_back({exchange_number, q.int64(5), q.str(0), static_cast<FileAccess>(q.int64(1)), q.int64(2), q.int64(3),
                   q.int64(4)});
  q.reset();
  return out;
}

std::vector<EventRow> EventsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  std::vector<EventRow> out;
  auto& q = db.prepare(
                  "SELECT e.seq, e.event_id, e.time, e.kind, e.role, e.origin, e.parent_seq, e.pair_seq, e.tool,"
                  " e.call_key, e.input_hash, p.path, e.flags, e.summary, e.tokens, e.source_pk, e.raw_offset,"
                  " e.raw_length, e.raw_block FROM events e LEFT JOIN paths p USING (path_pk)"
                  " WHERE e.session_pk = ?1 AND e.seq BETWEEN ?2 AND ?3 ORDER BY e.seq LIMIT ?4")
                .bind(session_pk, first_seq, last_seq, std::max<std::int64_t>(limit, 0));
  while (q.step()) {
    EventRow& e = out.emplace_back();
    e.seq = q.int64(0);
    e.event_id = from_sql(q.int64(1));
    e.time = q.int64(2);
    e.kind = static_cast<EventKind>(q.int64(3));
    e.role = static_cast<Role>(q.int64(4));
    e.origin = static_cast<Origin>(q.int64(5));
    e.parent_seq = optional_int(q, 6);
    e.pair_seq = optional_int(q, 7);
    e.tool = q.str(8);
    e.call_key = from_sql(q.int64(9));
    e.input_hash = from_sql(q.int64(10));
    e.path = q.str(11);
    e.flags = static_cast<std::uint32_t>(q.int64(12));
    e.summary = q.str(13);
    e.tokens = q.int64(14);
    if (q.is_null(15) || q.is_null(16)) continue;
    e.source = q.int64(15);
    e.raw = raw_ref(q, 16);
  }
  q.reset();
  return out;
}

EventSource EventSourceQuery::run(sqlite::Database& db) const {
  auto found = EventSourcesQuery{session_pk, {seq}}.run(db);
  if (found.empty()) throw ErrorException(without_store());
  return std::move(found.begin()->second);
}

ExchangeId NamedExchangeQuery::run(sqlite::Database& db) const {
  auto& q = db.prepare(
                  "SELECT e.exchange_pk FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk"
                  " WHERE s.uid = ?1 AND e.exchange_number = ?2")
                .bind(name.session, name.number);
  const ExchangeId found = q.step() ? q.int64(0) : 0;
  q.reset();
  if (found == 0) throw ErrorException(without_store());
  return found;
}

EventPlace EventByIdQuery::run(sqlite::Database& db) const {
  auto& q = db.prepare(
                  "SELECT e.session_pk, e.seq FROM identity_runs r"
                  " JOIN identities i ON i.run = r.run AND i.identity = ?1"
                  " JOIN events e ON e.session_pk = i.session_pk AND e.seq = i.place AND e.event_id = ?1")
                .bind(static_cast<std::int64_t>(event_id));
  const EventPlace found = q.step() ? EventPlace{q.int64(0), q.int64(1)} : EventPlace{};
  q.reset();
  if (found.session_pk == 0) throw ErrorException(without_store());
  return found;
}

std::map<std::int64_t, EventSource> EventSourcesQuery::run(sqlite::Database& db) const {
  using namespace queries;
  auto& q =
      db.prepare(sql_text("SELECT src.platform, src.path, src.format, src.state, s.uid, src.source_pk,"
                          " v.raw_offset, v.raw_length, v.raw_block, i.item_key, v.seq,"
                          " v.flags & kFlagGone OR coalesce(i.flags & kItemGone, 0)"
                          " FROM json_each(?2) wanted CROSS JOIN events v ON v.session_pk = ?1 AND v.seq = wanted.value"
                          " JOIN sources src ON src.source_pk = v.source_pk"
                          " JOIN sessions s ON s.session_pk = v.session_pk"
                          " LEFT JOIN source_items i ON i.source_pk = src.source_pk AND i.session_uid = s.uid"
                          " AND i.item_no = v.raw_offset"
                          " WHERE v.raw_offset IS NOT NULL"));
  const std::string wanted = number_list(seqs);
  q.bind(session_pk, wanted);
  std::map<std::int64_t, EventSource> out;
  while (q.step()) {
    EventSource& where = out[q.int64(10)];
    where.platform = platform_of(q.text(0));
    where.path = q.str(1);
    where.format = static_cast<SourceFormat>(q.int64(2));
    where.state = static_cast<SourceState>(q.int64(3));
    where.session_uid = q.str(4);
    where.source = q.int64(5);
    where.raw = raw_ref(q, 6);
    where.item_key = q.str(9);
    where.is_gone = q.int64(11) != 0;
  }
  q.reset();
  return out;
}

}  // namespace memd

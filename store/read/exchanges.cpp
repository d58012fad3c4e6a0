#include "store/read/exchanges.hpp"

#include "schemas/base/error.hpp"
#include "store/db/rows.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_titles.hpp"
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
         std::string(tool_text) + R"(,
  iif(e.git_branch = '', s.git_branch, e.git_branch), iif(e.working_directory = '', s.cwd, e.working_directory),
  e.model_used,
  e.tool_calls, e.tool_errors, e.lines_added, e.lines_removed,
  iif(e.raw_format_version = '', s.agent_version, e.raw_format_version), e.adapter_version, e.ingested_at
  FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk)" +
         std::string(kProjectOfSession);
}
const std::string kExchangesColumns = columns(kTitleColumns, "e.tool_text");

ExchangeRow read_exchange(sqlite::Database& db, const sqlite::Statement& q) {
  ExchangeRow r;
  read_head(q, r);
  sqlite::read_from(q, 10, r.first_seq, r.last_seq, r.ended_at, r.origin, r.completeness, r.user_message,
                    r.interventions, r.assistant_response, r.answer_offset, r.tool_text, r.git_branch, r.cwd, r.model,
                    r.tool_calls, r.tool_errors, r.lines_added, r.lines_removed, r.agent_version, r.adapter_version,
                    r.ingested_at);
  r.tokens = exchange_tokens(db, r.session_pk, r.number);
  return r;
}

std::vector<ExchangeRow> read_all(sqlite::Database& db, sqlite::Statement& q) {
  return q.all([&](const sqlite::Statement& row) { return read_exchange(db, row); });
}

RawRef raw_ref(const sqlite::Statement& q, int first_column) {
  return {static_cast<std::uint64_t>(q.int64(first_column)), static_cast<std::uint32_t>(q.int64(first_column + 1)),
          static_cast<std::uint16_t>(q.int64(first_column + 2))};
}

}  // namespace

void read_head(const sqlite::Statement& q, ExchangeHead& head) {
  read_head(q, static_cast<SessionHead&>(head));
  sqlite::read_from(q, 6, head.id, head.number, head.started_at, head.abandoned_for);
}

std::vector<ExchangeRow> exchange_texts(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                                        std::int64_t last_number) {
  static const std::string sql = columns(" s.title, NULL", "NULL") +
                                 "WHERE e.session_pk = ?1 AND e.exchange_number BETWEEN ?2 AND ?3"
                                 " ORDER BY e.exchange_number";
  return read_all(db, db.query(sql, session_pk, first_number, last_number));
}

}  // namespace queries

Error ExchangeQuery::without_store() const { return {Errc::not_found, "there is no turn " + format_exchange_id(id)}; }

Error NamedExchangeQuery::without_store() const {
  return {Errc::not_found, "there is no turn " + format_exchange_name(name.session, name.number)};
}

Error EventSourceQuery::without_store() const {
  return {Errc::not_found, "there is no source record of event " + std::to_string(seq)};
}

Error EventByIdQuery::without_store() const {
  return {Errc::not_found, "there is no event evt_" + format_key(event_id)};
}

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
    if (const auto row = q.bind(id).row()) out.push_back(read_exchange(db, *row));
  }
  return out;
}

std::vector<ExchangeRow> LastExchangesQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql = kExchangesColumns + "WHERE e.session_pk = ?1 ORDER BY e.exchange_number DESC LIMIT ?2";
  auto out = read_all(db, db.query(sql, session_pk, std::max(count, 0)));
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<ExchangeRow> ExchangeRangeQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql =
      kExchangesColumns + "WHERE e.session_pk = ?1 AND e.exchange_number BETWEEN ?2 AND ?3 ORDER BY e.exchange_number";
  return read_all(db, db.query(sql, session_pk, first_number, last_number));
}

std::vector<ExchangeFile> ExchangeFilesQuery::run(sqlite::Database& db) const {
  return db
      .query(
          "SELECT f.exchange_number, f.path_pk, p.path, f.access, f.touches, f.lines_added, f.lines_removed"
          " FROM exchange_files f JOIN paths p ON p.path_pk = f.path_pk"
          " WHERE f.session_pk = ?1 AND f.exchange_number = ?2 ORDER BY p.path, f.access",
          session_pk, exchange_number)
      .all(sqlite::fields_of<ExchangeFile>);
}

std::vector<std::string> AttachmentsQuery::run(sqlite::Database& db) const {
  std::vector<std::string> out;
  auto& q = db.query(sql_text("SELECT summary FROM events WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3"
                              " AND kind = EventKind::user_msg AND summary GLOB '[[]*' ORDER BY seq"),
                     exchange.session_pk, exchange.first_seq, exchange.last_seq);
  while (q.step()) {
    std::string_view told = q.text(0);
    if (told.ends_with("…")) told.remove_suffix(std::string_view("…").size());
    if (exchange.user_message.find(told) == std::string::npos && exchange.interventions.find(told) == std::string::npos)
      out.emplace_back(q.text(0));
  }
  return out;
}

std::vector<EventRow> EventsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  std::vector<EventRow> out;
  auto& q = db.query(
      "SELECT e.seq, e.event_id, e.time, e.kind, e.role, e.origin, e.parent_seq, e.pair_seq, e.tool,"
      " e.call_key, e.input_hash, p.path, e.flags, e.summary, e.tokens, e.source_pk, e.raw_offset,"
      " e.raw_length, e.raw_block FROM events e LEFT JOIN paths p USING (path_pk)"
      " WHERE e.session_pk = ?1 AND e.seq BETWEEN ?2 AND ?3 ORDER BY e.seq LIMIT ?4",
      session_pk, first_seq, last_seq, std::max<std::int64_t>(limit, 0));
  while (q.step()) {
    EventRow& e = out.emplace_back();
    sqlite::read(q, e.seq, e.event_id, e.time, e.kind, e.role, e.origin, e.parent_seq, e.pair_seq, e.tool, e.call_key,
                 e.input_hash, e.path, e.flags, e.summary, e.tokens);
    if (q.is_null(15) || q.is_null(16)) continue;
    e.source = q.int64(15);
    e.raw = raw_ref(q, 16);
  }
  return out;
}

EventSource EventSourceQuery::run(sqlite::Database& db) const {
  auto found = EventSourcesQuery{session_pk, {seq}}.run(db);
  if (found.empty()) throw ErrorException(without_store());
  return std::move(found.begin()->second);
}

ExchangeId NamedExchangeQuery::run(sqlite::Database& db) const {
  const ExchangeId found = db.query(
                                 "SELECT e.exchange_pk FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk"
                                 " WHERE s.uid = ?1 AND e.exchange_number = ?2",
                                 name.session, name.number)
                               .value_or(0);
  if (found == 0) throw ErrorException(without_store());
  return found;
}

EventPlace EventByIdQuery::run(sqlite::Database& db) const {
  auto& q = db.query(
      "SELECT e.session_pk, e.seq FROM identity_runs r"
      " JOIN identities i ON i.run = r.run AND i.identity = ?1"
      " JOIN events e ON e.session_pk = i.session_pk AND e.seq = i.place AND e.event_id = ?1",
      static_cast<std::int64_t>(event_id));
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
    sqlite::read(q, where.platform, where.path, where.format, where.state, where.session_uid, where.source);
    where.raw = raw_ref(q, 6);
    where.item_key = q.str(9);
    where.is_gone = q.int64(11) != 0;
  }
  return out;
}

}  // namespace memd

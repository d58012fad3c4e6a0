#include "store/read/session_contents.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/read/commits.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/observations.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_rows.hpp"
#include "store/read/tool_facts.hpp"

#include <algorithm>
#include <limits>

namespace memd {
namespace {

std::vector<ExchangeFile> modified_files(sqlite::Database& db, std::int64_t session_pk, std::int64_t first,
                                         std::int64_t last) {
  return db
      .query(sql_text("SELECT f.exchange_number, f.path_pk, p.path, f.access, f.touches, f.lines_added, f.lines_removed"
                      " FROM exchange_files f JOIN paths p ON p.path_pk = f.path_pk WHERE f.session_pk = ?1"
                      " AND f.exchange_number BETWEEN ?2 AND ?3 AND f.access = FileAccess::modified"
                      " ORDER BY f.exchange_number, p.path"),
             session_pk, first, last)
      .all(sqlite::fields_of<ExchangeFile>);
}

}  // namespace

SessionDigest SessionDigestQuery::run(sqlite::Database& db) const {
  SessionDigest out{queries::exchange_texts(db, session_pk, first_number, last_number),
                    modified_files(db, session_pk, first_number, last_number),
                    queries::observations_of(db, session_pk, first_number, last_number),
                    queries::commits_of(db, session_pk, first_number, last_number),
                    queries::pull_requests_of(db, session_pk),
                    std::nullopt};
  const bool whole = first_number <= 0 && last_number == std::numeric_limits<std::int64_t>::max();
  if (whole && std::ranges::all_of(out.exchanges, &ExchangeRow::is_evicted))
    out.kept = KeptDigestQuery{session_pk}.run(db);
  return out;
}

namespace {

SessionUpdate facts_of(sqlite::Database& db, std::int64_t pk) {
  static const std::string sql = "SELECT uid, platform, native_id, stopped_at, " +
                                 std::string(queries::kAttributeColumns) + " FROM sessions s WHERE session_pk = ?";
  auto& q = db.query(sql, pk);
  const auto row = q.row();
  if (!row) throw ErrorException(Error(Errc::not_found, "no session row " + std::to_string(pk)));
  SessionUpdate s;
  sqlite::read(q, s.session_uid, s.platform, s.native_id, s.stopped_at);
  queries::read_attributes(q, 4, s);
  s.account = db.query(
                    "SELECT coalesce(m.model, ''), counted_from, time, input, output, cache_read, cache_creation,"
                    " cache_creation_1h, reasoning, web_searches, cost_usd FROM session_accounts LEFT JOIN models m"
                    " USING (model_pk) WHERE session_pk = ?",
                    pk)
                  .all(sqlite::fields_of<ModelAccount>);
  return s;
}

Source source_row(sqlite::Database& db, SourceId id) {
  auto& q = db.query("SELECT platform, path, format, state, session_uid FROM sources WHERE source_pk = ?", id);
  Source s;
  s.id = id;
  if (const auto row = q.row()) {
    sqlite::read(*row, s.platform, s.path, s.format, s.state, s.session_uid);
  }
  return s;
}

}  // namespace

std::optional<KeptDigest> KeptDigestQuery::run(sqlite::Database& db) const {
  auto& q = db.query(
      "SELECT request, result, abstract, wall_clock_ms, source_path, source_bytes FROM session_digests"
      " WHERE session_pk = ?",
      session_pk);
  std::optional<KeptDigest> out;
  if (const auto row = q.row())
    out = KeptDigest{row->str(0), row->str(1), row->str(2), {}, row->int64(3), row->str(4), row->int64(5)};
  if (!out) return out;
  out->errors = db.query("SELECT time, tool, text FROM digest_errors WHERE session_pk = ? ORDER BY place", session_pk)
                    .all(sqlite::fields_of<ErrorSnippet>);
  return out;
}

Error StoredSessionQuery::without_store() { return {Errc::not_found, "there is no such session"}; }

StoredSession StoredSessionQuery::run(sqlite::Database& db) const {
  StoredSession out;
  out.pk = session_pk;
  out.facts = facts_of(db, session_pk);
  out.row = queries::session_by_pk(db, session_pk);
  out.digest = KeptDigestQuery{session_pk}.run(db);
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  out.events = EventsQuery{session_pk, 0, kAll, kAll}.run(db);
  out.tool_facts = queries::tool_facts(db, session_pk, 0, kAll);
  for (const EventRow& e : out.events)
    if (e.source != 0)
      if (const auto [it, fresh] = out.sources.try_emplace(e.source); fresh) it->second = source_row(db, e.source);
  auto& r = db.query(
      "SELECT response_key, time, coalesce(m.model, ''), input, output, cache_read, cache_creation, cache_creation_1h,"
      " reasoning, flags, web_searches, cost_usd FROM responses LEFT JOIN models m USING (model_pk) WHERE session_pk = "
      "?",
      session_pk);
  while (r.step()) {
    RecordedResponse& response = out.responses[from_sql(r.int64(0))];
    sqlite::read(r, response.key, response.time, response.model, response.usage);
    response.facts = facts_of_flags(r.int64(9));
    sqlite::read_from(r, 10, response.facts.web_searches, response.facts.cost_usd);
  }
  return out;
}

SessionItems SessionItemsQuery::run(sqlite::Database& db) const {
  SessionItems out;
  out.session_uid = session_uid;
  auto& q = db.query(sql_text("SELECT item_no, item_key, version, flags & kItemStartsExchange, flags & kItemGone,"
                              " record_type, disposition, reason, bytes FROM source_items"
                              " WHERE source_pk = (SELECT source_pk FROM sources WHERE platform = ? AND path = ?)"
                              " AND session_uid = ? ORDER BY item_no"),
                     to_string(platform), source_path, session_uid);
  while (q.step()) {
    SourceItem item;
    sqlite::read_from(q, 1, item.key, item.version, item.starts_exchange, item.gone);
    item.ledger = {q.str(5), static_cast<Disposition>(q.int64(6)), q.str(7), 1, from_sql(q.int64(8))};
    if (q.int64(0) == 0) {
      out.has_head = true;
      out.head = std::move(item);
    } else {
      out.added.push_back(std::move(item));
    }
  }
  return out;
}

std::vector<std::string> ItemSessionsQuery::run(sqlite::Database& db) const {
  return db
      .query(sql_text("SELECT DISTINCT session_uid FROM source_items WHERE flags & kItemGone = 0 AND source_pk ="
                      " (SELECT source_pk FROM sources WHERE platform = ? AND path = ?)"),
             to_string(platform), source_path)
      .all(sqlite::first_text);
}

CapturedSessionsQuery::Answer CapturedSessionsQuery::run(sqlite::Database& db) const {
  Answer out;
  out.directories = db.query("SELECT uid, cwd FROM sessions WHERE cwd <> ''").all([](const auto& q) {
    return std::pair(q.str(0), q.str(1));
  });
  out.skipped =
      db.query("SELECT DISTINCT session_uid FROM source_items WHERE reason = ?", reason).all(sqlite::first_text);
  return out;
}

}  // namespace memd

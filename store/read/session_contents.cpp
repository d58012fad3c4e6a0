#include "store/read/session_contents.hpp"

#include "schemas/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/read/commits.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/observations.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"
#include "store/read/tool_facts.hpp"

#include <algorithm>
#include <limits>

namespace memd {
namespace {

std::vector<ExchangeFile> modified_files(sqlite::Database& db, std::int64_t session_pk, std::int64_t first,
                                         std::int64_t last) {
  auto& q = db.prepare(
      "SELECT f.exchange_number, f.path_pk, p.path, f.touches, f.lines_added, f.lines_removed FROM exchange_files f"
      " JOIN paths p ON p.path_pk = f.path_pk WHERE f.session_pk = ?1 AND f.exchange_number BETWEEN ?2 AND ?3"
      " AND f.access = ?4 ORDER BY f.exchange_number, p.path");
  q.bind(session_pk, first, last, static_cast<int>(FileAccess::modified));
  std::vector<ExchangeFile> out;
  while (q.step())
    out.push_back({q.int64(0), q.int64(1), q.str(2), FileAccess::modified, q.int64(3), q.int64(4), q.int64(5)});
  q.reset();
  return out;
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
  auto& q = db.prepare(
                  "SELECT uid, platform, native_id, kind, parent_uid, parent_call_id, forked_from, agent_name, title,"
                  " title_rank, description, cwd, git_branch, model, agent_version, started_at, ended_at, mode,"
                  " context_tokens, lines_added, lines_removed, cost_usd, repo, stopped_at FROM sessions"
                  " WHERE session_pk = ?")
                .bind(pk);
  if (!q.step()) throw ErrorException(Error(Errc::not_found, "no session row " + std::to_string(pk)));
  SessionUpdate s;
  s.session_uid = q.str(0);
  s.platform = queries::platform_of(q.text(1));
  s.native_id = q.str(2);
  s.kind = static_cast<SessionKind>(q.int64(3));
  s.parent_uid = q.str(4);
  s.parent_call_id = q.str(5);
  s.forked_from = q.str(6);
  s.agent_name = q.str(7);
  s.title = q.str(8);
  s.title_rank = static_cast<TitleRank>(q.int64(9));
  s.description = q.str(10);
  s.cwd = q.str(11);
  s.git_branch = q.str(12);
  s.model = q.str(13);
  s.agent_version = q.str(14);
  s.started_at = q.int64(15);
  s.ended_at = q.int64(16);
  s.mode = q.str(17);
  s.context_tokens = q.int64(18);
  s.lines_added = q.int64(19);
  s.lines_removed = q.int64(20);
  if (!q.is_null(21)) s.cost_usd = q.real(21);
  s.repo = q.str(22);
  s.stopped_at = q.int64(23);
  q.reset();
  auto& a = db.prepare(
                  "SELECT coalesce(m.model, ''), counted_from, time, web_searches, cost_usd, input, output, cache_read,"
                  " cache_creation, cache_creation_1h, reasoning FROM session_accounts LEFT JOIN models m"
                  " USING (model_pk) WHERE session_pk = ?")
                .bind(pk);
  while (a.step())
    s.account.push_back({a.str(0),
                         a.int64(1),
                         a.int64(2),
                         {a.int64(5), a.int64(6), a.int64(7), a.int64(8), a.int64(9), a.int64(10)},
                         a.int64(3),
                         a.real(4)});
  a.reset();
  return s;
}

Source source_row(sqlite::Database& db, SourceId id) {
  auto& q = db.prepare("SELECT platform, path, format, state, session_uid FROM sources WHERE source_pk = ?").bind(id);
  Source s;
  s.id = id;
  if (q.step()) {
    s.platform = queries::platform_of(q.text(0));
    s.path = q.str(1);
    s.format = static_cast<SourceFormat>(q.int64(2));
    s.state = static_cast<SourceState>(q.int64(3));
    s.session_uid = q.str(4);
  }
  q.reset();
  return s;
}

}  // namespace

std::optional<KeptDigest> KeptDigestQuery::run(sqlite::Database& db) const {
  auto& q = db.prepare(
                  "SELECT request, result, abstract, wall_clock_ms, source_path, source_bytes FROM session_digests"
                  " WHERE session_pk = ?")
                .bind(session_pk);
  std::optional<KeptDigest> out;
  if (q.step()) out = KeptDigest{q.str(0), q.str(1), q.str(2), {}, q.int64(3), q.str(4), q.int64(5)};
  q.reset();
  if (!out) return out;
  auto& errors =
      db.prepare("SELECT time, tool, text FROM digest_errors WHERE session_pk = ? ORDER BY place").bind(session_pk);
  while (errors.step())
    out->errors.push_back({errors.int64(0), errors.str(1), errors.str(2)});
  errors.reset();
  return out;
}

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
  auto& r = db.prepare(
                  "SELECT response_key, time, coalesce(m.model, ''), flags, web_searches, cost_usd, input, output,"
                  " cache_read, cache_creation, cache_creation_1h, reasoning FROM responses LEFT JOIN models m"
                  " USING (model_pk) WHERE session_pk = ?")
                .bind(session_pk);
  while (r.step()) {
    const std::uint64_t key = from_sql(r.int64(0));
    RecordedResponse& response = out.responses[key];
    response = {key, r.int64(1), r.str(2), {}, facts_of_flags(r.int64(3))};
    response.facts.web_searches = r.int64(4);
    if (!r.is_null(5)) response.facts.cost_usd = r.real(5);
    response.usage = {r.int64(6), r.int64(7), r.int64(8), r.int64(9), r.int64(10), r.int64(11)};
  }
  r.reset();
  return out;
}

SessionItems SessionItemsQuery::run(sqlite::Database& db) const {
  SessionItems out;
  out.session_uid = session_uid;
  auto& q =
      db.prepare(sql_text("SELECT item_no, item_key, version, flags & kItemStartsExchange, flags & kItemGone,"
                          " record_type, disposition, reason, bytes FROM source_items"
                          " WHERE source_pk = (SELECT source_pk FROM sources WHERE platform = ? AND path = ?)"
                          " AND session_uid = ? ORDER BY item_no"));
  q.bind(to_string(platform), source_path, session_uid);
  while (q.step()) {
    SourceItem item;
    item.key = q.str(1);
    item.version = from_sql(q.int64(2));
    item.starts_exchange = q.int64(3) != 0;
    item.gone = q.int64(4) != 0;
    item.ledger = {q.str(5), static_cast<Disposition>(q.int64(6)), q.str(7), 1, from_sql(q.int64(8))};
    if (q.int64(0) == 0) {
      out.has_head = true;
      out.head = std::move(item);
    } else {
      out.added.push_back(std::move(item));
    }
  }
  q.reset();
  return out;
}

std::vector<std::string> ItemSessionsQuery::run(sqlite::Database& db) const {
  std::vector<std::string> out;
  auto& q =
      db.prepare(sql_text("SELECT DISTINCT session_uid FROM source_items WHERE flags & kItemGone = 0 AND source_pk ="
                          " (SELECT source_pk FROM sources WHERE platform = ? AND path = ?)"));
  q.bind(to_string(platform), source_path);
  while (q.step())
    out.push_back(q.str(0));
  q.reset();
  return out;
}

}  // namespace memd

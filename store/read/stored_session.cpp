#include "schemas/hash.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_contents.hpp"

#include <map>

namespace memd {
namespace {

SessionUpdate facts_of(sqlite::Database& db, std::int64_t pk) {
  auto& q = db.prepare(
                  "SELECT uid, platform, native_id, kind, parent_uid, parent_call_id, forked_from, agent_name, title,"
                  " title_rank, description, cwd, git_branch, model, agent_version, started_at, ended_at, mode,"
                  " context_tokens, lines_added, lines_removed, cost_usd FROM sessions WHERE session_pk = ?")
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
  q.reset();
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

StoredSession StoredSessionQuery::run(sqlite::Database& db) const {
  StoredSession out;
  out.pk = session_pk;
  out.facts = facts_of(db, session_pk);
  std::map<SourceId, std::size_t> sources;
  auto& q = db.prepare(
                  "SELECT e.seq, e.event_id, e.time, e.kind, e.role, e.origin, e.parent_seq, e.tool, e.call_key,"
                  " e.input_hash, p.path, e.flags, e.summary, e.tokens, e.source_pk, e.raw_offset, e.raw_length,"
                  " e.raw_block FROM events e LEFT JOIN paths p USING (path_pk) WHERE e.session_pk = ? ORDER BY e.seq")
                .bind(session_pk);
  while (q.step()) {
    StoredEvent& e = out.events.emplace_back();
    e.seq = q.int64(0);
    e.event_id = from_sql(q.int64(1));
    e.time = q.int64(2);
    e.kind = static_cast<EventKind>(q.int64(3));
    e.role = static_cast<Role>(q.int64(4));
    e.origin = static_cast<Origin>(q.int64(5));
    if (!q.is_null(6)) e.parent_seq = q.int64(6);
    e.tool = q.str(7);
    e.call_key = from_sql(q.int64(8));
    e.input_hash = from_sql(q.int64(9));
    e.path = q.str(10);
    e.flags = static_cast<std::uint32_t>(q.int64(11));
    e.summary = q.str(12);
    e.tokens = q.int64(13);
    if (q.is_null(14) || q.is_null(15)) continue;
    e.raw = {from_sql(q.int64(15)), static_cast<std::uint32_t>(q.int64(16)), static_cast<std::uint16_t>(q.int64(17))};
    const auto [it, fresh] = sources.try_emplace(q.int64(14), out.sources.size());
    if (fresh) out.sources.emplace_back().id = it->first;
    e.source = it->second;
  }
  q.reset();
  for (Source& source : out.sources)
    source = source_row(db, source.id);
  auto& r =
      db.prepare("SELECT response_key, input, output, cache_read, cache_creation FROM responses WHERE session_pk = ?")
          .bind(session_pk);
  while (r.step())
    out.responses[from_sql(r.int64(0))] = {r.int64(1), r.int64(2), r.int64(3), r.int64(4)};
  r.reset();
  return out;
}

}  // namespace memd

#include "store/write/session_cache.hpp"

#include "schemas/base/error.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/enrich/session_analysis.hpp"
#include "store/read/session_rows.hpp"
#include "store/read/shares.hpp"
#include "store/write/response_ledger.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memd::assembly {
namespace {

constexpr std::size_t kKeptSessions = 24;

void recall_what_events_said(SessionWork& s) {
  const ExchangeDraft& d = s.draft;
  if (s.has_draft)
    s.said = {!d.cwd.empty(), !d.git_branch.empty(), !d.model.empty(), !d.agent_version.empty()};
  else if (s.next_seq > 0)
    s.said = {!s.cwd.empty(), !s.git_branch.empty(), !s.model.empty(), !s.agent_version.empty()};
}

}  // namespace

std::optional<SessionWork> SessionRows::load(std::string_view uid) {
  static const std::string sql =
      "SELECT session_pk, platform, coalesce(own_project_pk, project_pk), stopped_at,"
      " turns, retries, tool_calls, tool_pairs, tool_errors, compactions, next_seq, next_exchange, source_pk,"
      " capture_disabled_at, next_seq = 0 AND evicted_through IS NULL"
      " AND EXISTS (SELECT 1 FROM session_digests d WHERE d.session_pk = s.session_pk)"
      " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_pk = s.session_pk), " +
      std::string(queries::kAttributeColumns) + " FROM sessions s WHERE uid = ?";
  auto& q = db_.prepare(sql);
  const auto row = q.bind(uid).row();
  if (!row) return std::nullopt;
  SessionWork s;
  s.pk = q.int64(0);
  s.uid = uid;
  s.platform = parse_platform(q.text(1)).value_or(Platform::claude_code);
  sqlite::read_from(q, 2, s.project_pk, s.stopped_at, s.turns, s.retries, s.tool_calls, s.tool_pairs, s.tool_errors,
                    s.compactions, s.next_seq, s.next_exchange, s.source, s.capture_disabled_at, s.counted_elsewhere);
  queries::read_attributes(q, 15, s);
  s.stored = {s.title, s.project_pk, s.source};
  return s;
}

std::string SessionRows::machine_of(std::string_view uid) {
  static const std::string sql =
      "SELECT g.machine FROM shares h JOIN shared_segments g USING (share_pk) JOIN sessions s ON s.uid = g.session_uid"
      " WHERE g.session_uid = ? AND NOT " +
      std::string(queries::kIsOfThisMachine) + " LIMIT 1";
  return db_.query(sql, uid).value_or(std::string_view());
}

SessionWork SessionRows::create(std::string_view uid, TimeMs discovered_at) {
  const auto parts = split_session_uid(uid);
  if (!parts) throw ErrorException(Error(Errc::invalid_argument, "not a session uid: " + std::string(uid)));
  db_.run("INSERT INTO sessions (uid, platform, native_id, discovered_at) VALUES (?, ?, ?, ?)", uid,
          to_string(parts->platform), parts->native_id, discovered_at);
  SessionWork s;
  s.pk = db_.last_insert_rowid();
  s.uid = uid;
  s.platform = parts->platform;
  s.dirty = true;
  return s;
}

void SessionRows::save(SessionWork& s, TimeMs ingested_at) {
  const auto turns = s.turns + static_cast<std::int64_t>(s.history.size());
  TimeMs started_at = s.started_at;
  TimeMs ended_at = s.ended_at;
  TimeMs stopped_at = s.stopped_at;
  if (!s.history.empty()) {
    if (started_at == 0) started_at = s.history.front().time;
    ended_at = std::max(ended_at, s.history.back().time);
    if (s.history.back().time > stopped_at) stopped_at = 0;
  }
  const std::string& cwd = s.cwd.empty() && !s.history.empty() ? s.history.front().cwd : s.cwd;
  db_.run(
      "UPDATE sessions SET kind = ?2, parent_uid = ?3, parent_call_id = ?4, forked_from = ?5, agent_name = ?6,"
      " title_rank = ?7, description = ?8, cwd = ?9, git_branch = ?10, model = ?11, agent_version = ?12,"
      " started_at = ?13, ended_at = ?14, stopped_at = ?15, cost_usd = ?16, turns = ?17, retries = ?18,"
      " tool_calls = ?19, tool_pairs = ?20, tool_errors = ?21, compactions = ?22, next_seq = ?23,"
      " next_exchange = ?24, ingested_at = ?25, mode = ?26, context_tokens = ?27, lines_added = ?28,"
      " lines_removed = ?29, capture_disabled_at = ?30, repo = ?31, analysis_version = 0, judge_version = 0"
      " WHERE session_pk = ?1",
      s.pk, static_cast<int>(s.kind), s.parent_uid, s.parent_call_id, s.forked_from, s.agent_name,
      static_cast<int>(s.title_rank), s.description, cwd, s.git_branch, s.model, s.agent_version, started_at, ended_at,
      stopped_at, s.cost_usd, turns, s.retries, s.tool_calls, s.tool_pairs, s.tool_errors, s.compactions, s.next_seq,
      s.next_exchange, ingested_at, s.mode, s.context_tokens, s.lines_added, s.lines_removed, s.capture_disabled_at,
      s.repo);
  save_references(s);
  s.dirty = false;
}

// A statement of its own, because a trigger and foreign keys depend on these columns: SQLite then opens a savepoint for
// the statement, and FTS5 writes a segment at each savepoint.
void SessionRows::save_references(SessionWork& s) {
  SessionWork::Stored now{s.title, s.project_pk, s.source};
  if (s.stored == now) return;
  const auto or_null = [](std::int64_t pk) { return pk == 0 ? std::nullopt : std::optional(pk); };
  if (s.stored.project_pk != now.project_pk && !s.repo.empty()) projects_.remote_changed();
  db_.run(
      "UPDATE sessions SET title = ?2, own_project_pk = ?3, source_pk = ?4, project_pk ="
      " (SELECT coalesce(joined_pk, project_pk) FROM projects WHERE project_pk = ?3) WHERE session_pk = ?1",
      s.pk, s.title, or_null(s.project_pk), or_null(s.source));
  s.stored = std::move(now);
}

void SessionRows::take_record(SessionWork& s, TimeMs now) {
  const SessionRecord& r = *s.record;
  s.turns = r.cost.turns;
  s.retries = r.cost.retries;
  s.fill_from(r);
  if (s.project_pk == 0 && !s.cwd.empty()) s.project_pk = projects_.intern(s.cwd);
  save(s, now);
  save_recorded_responses(db_, s, r);
  KeptDigest digest = r.digest.value_or(KeptDigest());
  digest.wall_clock = r.cost.wall_clock;
  digest.source_path = r.source_path;
  digest.source_bytes = r.source_bytes;
  analysis::save_digest(db_, s.pk, digest);
  const Watermarks& w = r.watermarks;
  const bool analyzed = w.analyzed_at != 0;
  const auto when = [&](TimeMs time) { return analyzed && time != 0 ? std::optional(time) : std::nullopt; };
  db_.run(
      "UPDATE sessions SET discovered_at = ?2, ingested_at = ?3, analyzed_at = ?4, evicted_at = ?5,"
      " analysis_version = ?6, outcome = ?7 WHERE session_pk = ?1",
      s.pk, w.discovered_at != 0 ? w.discovered_at : now, w.ingested_at != 0 ? w.ingested_at : now, when(w.analyzed_at),
      when(w.evicted_at), analyzed ? analysis::kVersion : 0, static_cast<int>(r.outcome));
  s.counted_elsewhere = true;
  s.record.reset();
}

void SessionRows::drop_record_counts(SessionWork& s) {
  s.counted_elsewhere = false;
  s.turns = s.retries = 0;
  db_.run("DELETE FROM responses WHERE session_pk = ?", s.pk);
  db_.run("UPDATE sessions SET evicted_at = NULL WHERE session_pk = ?", s.pk);
}

bool SessionRows::remove_empty(std::int64_t session_pk) {
  db_.run(
      "DELETE FROM sessions WHERE session_pk = ?1 AND title = ''"
      " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_pk = ?1)"
      " AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_uid = sessions.uid AND c.parent_uid <> '')",
      session_pk);
  return db_.changes() == 1;
}

SessionWork& SessionCache::get(std::string_view uid, TimeMs now) {
  ++tick_;
  auto it = sessions_.find(uid);
  if (it == sessions_.end()) {
    auto loaded = rows_.load(uid);
    if (loaded) {
      history_.load(*loaded);
      loaded->has_draft = exchanges_.load_newest(loaded->pk, loaded->next_exchange, loaded->draft);
      recall_what_events_said(*loaded);
    } else {
      loaded = rows_.create(uid, now);
    }
    it = sessions_.emplace(uid, std::move(*loaded)).first;
  }
  it->second.last_used = tick_;
  return it->second;
}

void SessionCache::drop(std::string_view uid) { sessions_.erase(std::string(uid)); }

bool SessionCache::exists(std::string_view uid) { return sessions_.contains(uid) || rows_.load(uid).has_value(); }

std::vector<const SessionWork*> SessionCache::begun_at(TimeMs started_at) const {
  std::vector<const SessionWork*> out;
  for (const auto& [uid, s] : sessions_)
    if (s.has_draft && s.draft.started_at == started_at) out.push_back(&s);
  std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->draft.pk < b->draft.pk; });
  return out;
}

void SessionCache::flush(TimeMs now) {
  // In the order of their keys, so that the row ids in the full-text index grow.
  std::vector<SessionWork*> dirty;
  for (auto& [uid, s] : sessions_)
    if (s.dirty || (s.has_draft && s.draft.dirty)) dirty.push_back(&s);
  std::sort(dirty.begin(), dirty.end(), [](const auto* a, const auto* b) { return a->draft.pk < b->draft.pk; });
  for (SessionWork* s : dirty) {
    history_.store(*s, now);
    // A fork that is all copy stays known: what forgets its origin has to forget its records.
    const bool held_prompts = s->made_by_history && s->next_seq == 0 && s->history.empty();
    if (held_prompts && s->forked_from.empty() && rows_.remove_empty(s->pk)) {
      sessions_.erase(std::string(s->uid));
      continue;
    }
    if (s->record && s->next_seq == 0 && s->history.empty()) {
      rows_.take_record(*s, now);
      continue;
    }
    s->record.reset();
    rows_.save(*s, now);
    if (s->has_draft && s->draft.dirty) exchanges_.save(*s, s->draft, now);
  }

  if (sessions_.size() <= kKeptSessions) return;
  std::vector<std::pair<std::uint64_t, std::string>> by_use;
  for (const auto& [uid, s] : sessions_)
    by_use.emplace_back(s.last_used, uid);
  std::sort(by_use.begin(), by_use.end());
  by_use.resize(by_use.size() - kKeptSessions);
  for (const auto& [use, uid] : by_use)
    sessions_.erase(uid);
}

}  // namespace memd::assembly

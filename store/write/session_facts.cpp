#include "store/write/session_facts.hpp"

#include "schemas/base/hash.hpp"
#include "store/db/database.hpp"
#include "store/text/event_summary.hpp"
#include "store/text/path_names.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace memd::assembly {

void TitleLedger::load() {
  if (loaded_) return;
  waiting_.clear();
  auto& q = db_.query("SELECT record_key, title_rank, title FROM pending_titles ORDER BY title_rank");
  while (q.step())
    waiting_[from_sql(q.int64(0))] = {q.str(2), static_cast<TitleRank>(q.int64(1))};
  loaded_ = true;
}

void TitleLedger::wait_for(std::uint64_t key, std::string_view title, TitleRank rank) {
  load();
  auto& entry = waiting_[key];
  if (rank < entry.rank) return;
  entry = {std::string(title), rank};
  db_.run(
      "INSERT INTO pending_titles (record_key, title_rank, title) VALUES (?, ?, ?)"
      " ON CONFLICT DO UPDATE SET title = excluded.title",
      as_sql(key), static_cast<int>(rank), title);
}

std::optional<PendingTitle> TitleLedger::take(std::uint64_t event_id) {
  load();
  const auto it = waiting_.find(event_id);
  if (it == waiting_.end()) return std::nullopt;
  PendingTitle title = std::move(it->second);
  waiting_.erase(it);
  db_.run("DELETE FROM pending_titles WHERE record_key = ?", as_sql(event_id));
  return title;
}

void SessionFacts::update(const SessionUpdate& u, TimeMs now) {
  if (u.session_uid.empty()) return;
  if (!u.parent_uid.empty() && u.parent_uid != u.session_uid) sessions_.get(u.parent_uid, now).dirty = true;
  SessionWork& s = sessions_.get(u.session_uid, now);
  const auto set = [&s](auto& field, const auto& value) {
    if (value == std::decay_t<decltype(value)>{} || field == value) return;
    field = value;
    s.dirty = true;
  };
  const auto set_unless_said = [&set](bool said, std::string& field, const std::string& value) {
    if (!said) set(field, value);
  };
  if (u.kind != SessionKind::main) set(s.kind, u.kind);
  // A fork repeats the calls that started subagents of its origin. They stay the origin's.
  if (s.parent_uid.empty()) set(s.parent_uid, u.parent_uid);
  set(s.parent_call_id, u.parent_call_id);
  if (u.forked_from != u.session_uid) set(s.forked_from, u.forked_from);
  set(s.agent_name, u.agent_name);
  set(s.description, u.description);
  if (!u.title.empty() && u.title_record_key == 0 && u.title_rank >= s.title_rank) {
    set(s.title, u.title);
    s.title_rank = u.title_rank;
  }
  set_unless_said(s.said.cwd, s.cwd, u.cwd);
  set_unless_said(s.said.git_branch, s.git_branch, u.git_branch);
  set_unless_said(s.said.model, s.model, u.model);
  set_unless_said(s.said.agent_version, s.agent_version, u.agent_version);
  if (s.project_pk == 0 && !u.cwd.empty()) set(s.project_pk, sessions_.rows().projects().intern(u.cwd));
  if (!u.repo.empty() && u.repo != s.repo) sessions_.rows().projects().remote_changed();
  set(s.repo, u.repo);
  set(s.mode, u.mode);
  set(s.context_tokens, u.context_tokens);
  set(s.lines_added, u.lines_added);
  set(s.lines_removed, u.lines_removed);
  set(s.cost_usd, u.cost_usd);
  if (u.started_at != 0 && (s.started_at == 0 || u.started_at < s.started_at)) set(s.started_at, u.started_at);
  set(s.ended_at, std::max(s.ended_at, u.ended_at));
  if (u.started_at != 0 && (s.declared.start == 0 || u.started_at < s.declared.start)) s.declared.start = u.started_at;
  s.declared.end = std::max(s.declared.end, u.ended_at);
  if (u.stopped_at >= s.ended_at) set(s.stopped_at, u.stopped_at);
  responses_.add_account(u, s.pk);
  responses_.add_limits(u);
  if (u.record && s.next_seq == 0) s.record = u.record, s.dirty = true;
}

void SessionFacts::give_titles(const EventBatch& batch, TimeMs now) {
  for (const auto& update : batch.sessions) {
    if (update.title_record_key == 0 || update.title.empty()) continue;
    const auto owner = rows_.session_of(update.title_record_key);
    if (!owner) {
      titles_.wait_for(update.title_record_key, update.title, update.title_rank);
      continue;
    }
    SessionWork& s = sessions_.get(uid_of(*owner), now);
    if (update.title_rank >= s.title_rank) s.title = update.title, s.title_rank = update.title_rank, s.dirty = true;
  }
}

void SessionFacts::note_title(SessionWork& s, std::uint64_t event_id) {
  const auto title = titles_.take(event_id);
  if (!title || title->rank < s.title_rank) return;
  s.title = title->title;
  s.title_rank = title->rank;
}

void SessionFacts::complete(const SessionWork& s, Event& e) {
  // Times of subagents are no times of the session's own events.
  const TimeMs before = s.next_seq > 0 ? s.ended_at : s.declared.end;
  if (e.time == 0 && before != 0) {
    e.time = before;
    e.time_estimated = true;
  }
  // On platforms that do not distinguish them, a parent agent's prompt to a subagent looks like a typed one.
  if (e.origin == Origin::typed && s.kind != SessionKind::main) e.origin = Origin::parent_agent;
  const std::string& directory = e.cwd.empty() ? s.cwd : e.cwd;
  for (FileTouch& file : e.files)
    file.path = absolute_path(file.path, directory);
}

void SessionFacts::note_context(SessionWork& s, const Event& e, std::int64_t seq, AssemblyContext& context) {
  if (s.has_draft) {
    ExchangeDraft& d = s.draft;
    if (d.cwd.empty()) d.cwd = e.cwd;
    if (d.git_branch.empty()) d.git_branch = e.git_branch;
    if (d.agent_version.empty()) d.agent_version = e.agent_version;
    // A record of the next turn ("turn_context") comes before that turn's first message.
    const bool of_next_turn = e.lifecycle == "turn_context";
    if (!e.model.empty() && !of_next_turn) d.model = e.model;
    const bool works = e.kind == EventKind::assistant_msg || e.kind == EventKind::tool_call;
    if (works && e.model.empty() && s.said.model) d.model = s.model;
  }
  if (!e.model.empty()) s.model = e.model, s.said.model = true;
  if (!e.agent_version.empty()) s.agent_version = e.agent_version, s.said.agent_version = true;
  if (!e.cwd.empty()) {
    if (s.project_pk == 0) s.project_pk = sessions_.rows().projects().intern(e.cwd);
    if (s.said.cwd && e.cwd != s.cwd)
      events_.derive(s, e, seq, {.kind = EventKind::lifecycle, .summary = std::string(kCwdChange) + e.cwd}, context);
    s.cwd = e.cwd;
    s.said.cwd = true;
  }
  if (!e.git_branch.empty()) {
    if (s.said.git_branch && e.git_branch != s.git_branch) {
      const std::string change = std::string(kBranchChange) + s.git_branch + std::string(kBranchArrow) + e.git_branch;
      events_.derive(s, e, seq, {.kind = EventKind::lifecycle, .summary = change}, context);
    }
    s.git_branch = e.git_branch;
    s.said.git_branch = true;
  }
  if (s.has_draft) inherit_context(s);
}

// Attributes that no event of an exchange sets are inherited. The newest exchange therefore has every attribute set so
// far.
void SessionFacts::inherit_context(SessionWork& s) {
  ExchangeDraft& d = s.draft;
  if (s.said.cwd && d.cwd.empty()) d.cwd = s.cwd;
  if (s.said.git_branch && d.git_branch.empty()) d.git_branch = s.git_branch;
  if (s.said.model && d.model.empty()) d.model = s.model;
  if (s.said.agent_version && d.agent_version.empty()) d.agent_version = s.agent_version;
}

// Drops times taken from subagents once the session has events of its own.
void SessionFacts::drop_times_of_children(SessionWork& s) {
  if (!s.times_of_children) {
    s.times_of_children =
        db_.query("SELECT 1 FROM sessions WHERE parent_uid = ? AND parent_uid <> '' LIMIT 1", s.uid).any();
  }
  if (!std::exchange(s.times_of_children, false)) return;
  s.started_at = s.declared.start;
  s.ended_at = s.declared.end;
}

// The first events of the session have no time of their own. They came before the first one that has.
void SessionFacts::date_earlier_events(SessionWork& s, TimeMs time) {
  rows_.date(s.pk, time);
  db_.run("UPDATE exchanges SET started_at = ?2, ended_at = max(ended_at, ?2) WHERE session_pk = ?1 AND started_at = 0",
          s.pk, time);
  if (s.has_draft && s.draft.started_at == 0) s.draft.started_at = time;
}

void SessionFacts::note_times(SessionWork& s, TimeMs time) {
  if (s.next_seq == 1) drop_times_of_children(s);
  if (time == 0) return;
  if (s.ended_at == 0 && s.next_seq > 1) date_earlier_events(s, time);
  if (s.started_at == 0 || time < s.started_at) s.started_at = time;
  s.ended_at = std::max(s.ended_at, time);
  if (s.parent_uid.empty()) return;
  // A parent known only through its subagents has no times of its own.
  SessionWork& parent = sessions_.get(s.parent_uid, 0);
  if (parent.next_seq > 0) return;
  if (parent.started_at == 0 || s.started_at < parent.started_at) parent.started_at = s.started_at;
  parent.ended_at = std::max(parent.ended_at, s.ended_at);
  parent.times_of_children = true;
  parent.dirty = true;
}

void SessionFacts::note_life(SessionWork& s, const Event& e, TimeMs now) {
  s.capture_disabled_at = 0;
  if (e.lifecycle == "session_stop") {
    s.stopped_at = e.time != 0 ? e.time : now;
    return;
  }
  // Records that a client writes after the end (the output of "/exit", a title) do not continue the session.
  const bool goes_on =
      e.kind != EventKind::lifecycle || e.lifecycle == "session_start" || e.lifecycle == "session_resume";
  if (goes_on && (e.time == 0 || e.time > s.stopped_at)) s.stopped_at = 0;
}

void SessionFacts::note_usage(SessionWork& s, const Event& e) {
  if (e.response_key == 0) return;
  // A model that only the session tells may still change: it is looked up when the response is shown.
  const std::string_view model = !e.model.empty() ? std::string_view(e.model)
                                 : s.said.model   ? s.model
                                                  : std::string_view();
  responses_.add(e, model, s.pk, s.has_draft ? s.draft.number : -1);
}

void SessionFacts::note_model(SessionWork& s, const Event& e) {
  if (e.model.empty() || s.said.model || s.model == e.model) return;
  s.model = e.model;
  s.dirty = true;
}

void SessionFacts::note_copy(SessionWork& s, const Event& e) {
  if (!s.forked_from.empty() || s.next_seq > 0) return;
  const auto owner = rows_.session_of(e.event_id);
  if (!owner || *owner == s.pk) return;
  std::string origin = uid_of(*owner);
  if (sessions_.get(origin, 0).forked_from == s.uid) return;  // its fork was read first
  s.forked_from = std::move(origin);
  s.dirty = true;
}

std::string SessionFacts::uid_of(std::int64_t session_pk) {
  return db_.query("SELECT uid FROM sessions WHERE session_pk = ?", session_pk).value_or("");
}

}  // namespace memd::assembly

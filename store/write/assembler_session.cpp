// What is said of a session as a whole, and taking back the end of one.
#include "schemas/hash.hpp"
#include "store/write/assembler.hpp"

#include <algorithm>

namespace memd::assembly {

void Assembler::apply_update(const SessionUpdate& u, TimeMs now) {
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
  set(s.parent_uid, u.parent_uid);
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
  if (s.project_pk == 0 && !u.cwd.empty()) set(s.project_pk, sessions_.rows().intern_project(u.cwd));
  set(s.mode, u.mode);
  set(s.context_tokens, u.context_tokens);
  set(s.lines_added, u.lines_added);
  set(s.lines_removed, u.lines_removed);
  set(s.cost_usd, u.cost_usd);
  if (u.started_at != 0 && (s.started_at == 0 || u.started_at < s.started_at)) set(s.started_at, u.started_at);
  set(s.ended_at, std::max(s.ended_at, u.ended_at));
}

std::vector<SourceId> Assembler::rewind(std::string_view uid, const Source& source, std::uint32_t keep, TimeMs now) {
  if (!sessions_.exists(uid)) return {};
  flush(now);  // the rows are the truth from here on
  const std::int64_t pk = sessions_.get(uid, now).pk;
  const auto cut = tail_.find(pk, source.id, keep);
  if (!cut) return {};
  const auto others = tail_.other_sources(*cut, source.id);
  if (std::any_of(others.begin(), others.end(), [](const auto& o) { return !o.can_be_read; })) return {};

  exchanges_.keep_ids_in_use();
  auto taken_back = std::move(sessions_.get(uid, now).taken_back);
  for (const auto& [number, exchange] : tail_.remove(*cut))
    taken_back[number] = exchange;
  sessions_.drop(uid);
  responses_.clear();
  SessionWork& s = sessions_.get(uid, now);
  s.taken_back = std::move(taken_back);
  s.dirty = true;
  std::vector<SourceId> read_again;
  for (const auto& other : others)
    read_again.push_back(other.id);
  return read_again;
}

bool Assembler::opens_exchange(std::string_view uid, SourceId source, std::uint64_t event_id, std::uint32_t item) {
  return events_.opens_exchange(event_id, uid, source, item);
}

}  // namespace memd::assembly

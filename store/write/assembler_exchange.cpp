// How exchanges open, grow and close, and what the assembler notices on the way.
#include "schemas/hash.hpp"
#include "store/write/exchange_text.hpp"
#include "store/write/assembler.hpp"

#include <algorithm>
#include <utility>

namespace memd::assembly {
void Assembler::open_draft(SessionWork& s, const Event& e, std::int64_t seq, Context& context) {
  close_draft(s, context.now);
  s.draft = {};
  ExchangeDraft& d = s.draft;
  d.number = s.next_exchange++;
  const auto taken_back = s.taken_back.extract(d.number);
  const ExchangeId inherited = std::exchange(s.inherited, 0);
  d.pk = taken_back ? taken_back.mapped() : inherited != 0 ? inherited : exchanges_.next_id();
  d.first_seq = d.last_seq = seq;
  d.started_at = d.ended_at = e.time;
  d.adapter_version = context.adapter_version;
  d.dirty = true;
  s.has_draft = true;
}

void Assembler::close_draft(SessionWork& s, TimeMs now) {
  if (!s.has_draft) return;
  if (s.draft.dirty) exchanges_.save(s, s.draft, now);
  s.has_draft = false;
}

ExchangeDraft& Assembler::draft_for(SessionWork& s, const Event& e, std::int64_t seq, Context& context) {
  if (!s.has_draft) open_draft(s, e, seq, context);
  return s.draft;
}

void Assembler::on_user_message(SessionWork& s, const Event& e, std::int64_t seq, Context& context) {
  // Words that were queued while the agent worked come again as the next prompt: they were not said twice.
  if (s.has_draft && remove_paragraph(s.draft.text.interventions, e.text)) {
    s.draft.dirty = true;
    events_.supersede_queued(s.pk, s.draft.first_seq, hash64(e.text));
  }
  open_draft(s, e, seq, context);
  ExchangeDraft& d = s.draft;
  d.origin = e.origin;
  d.has_user_message = true;
  d.user_event_id = e.event_id;
  append_paragraph(d.text.user_message, e.text);
  note_rules(s, e, seq);
  ++s.turns;
}

void Assembler::on_assistant_message(SessionWork& s, const Event& e, std::int64_t seq, Context& context) {
  if (e.is_sidechain && s.kind == SessionKind::main) return;
  s.draft.answer_offset = append_paragraph(s.draft.text.assistant_response, e.text);
  note_observations(s, e, seq, context);
}

void Assembler::touch_files(ExchangeDraft& d, const Event& e) {
  for (const auto& file : e.files) {
    FileTotals& totals = d.files[{paths_.intern(file.path), file.access}];
    ++totals.touches;
  }
}

void Assembler::note_context(SessionWork& s, const Event& e, std::int64_t seq, Context& context) {
  if (s.has_draft) {
    ExchangeDraft& d = s.draft;
    if (d.cwd.empty()) d.cwd = e.cwd;
    if (d.git_branch.empty()) d.git_branch = e.git_branch;
    if (d.agent_version.empty()) d.agent_version = e.agent_version;
    // A record of the turn to come ("turn_context") stands before the turn's first words.
    const bool of_next_turn = e.lifecycle == "turn_context";
    if (!e.model.empty() && !of_next_turn) d.model = e.model;
    const bool works = e.kind == EventKind::assistant_msg || e.kind == EventKind::tool_call;
    if (works && e.model.empty() && s.said.model) d.model = s.model;
  }
  if (!e.model.empty()) s.model = e.model, s.said.model = true;
  if (!e.agent_version.empty()) s.agent_version = e.agent_version, s.said.agent_version = true;
  if (!e.cwd.empty()) {
    if (s.project_pk == 0) s.project_pk = sessions_.rows().intern_project(e.cwd);
    if (s.said.cwd && e.cwd != s.cwd)
      insert_derived(s, e, seq, EventKind::lifecycle, std::string(kCwdChange) + e.cwd, 0, 0, context);
    s.cwd = e.cwd;
    s.said.cwd = true;
  }
  if (!e.git_branch.empty()) {
    if (s.said.git_branch && e.git_branch != s.git_branch)
      insert_derived(s, e, seq, EventKind::lifecycle,
                     std::string(kBranchChange) + s.git_branch + std::string(kBranchArrow) + e.git_branch, 0, 0,
                     context);
    s.git_branch = e.git_branch;
    s.said.git_branch = true;
  }
  if (s.has_draft) inherit_context(s);
}

// What nothing in an exchange says holds from before. So the newest exchange always knows what events have said.
void Assembler::inherit_context(SessionWork& s) {
  ExchangeDraft& d = s.draft;
  if (s.said.cwd && d.cwd.empty()) d.cwd = s.cwd;
  if (s.said.git_branch && d.git_branch.empty()) d.git_branch = s.git_branch;
  if (s.said.model && d.model.empty()) d.model = s.model;
  if (s.said.agent_version && d.agent_version.empty()) d.agent_version = s.agent_version;
}

void Assembler::note_times(SessionWork& s, TimeMs time) {
  if (time == 0) return;
  if (s.started_at == 0 || time < s.started_at) s.started_at = time;
  s.ended_at = std::max(s.ended_at, time);
  if (s.parent_uid.empty()) return;
  // A parent known only through its subagents has no times of its own.
  SessionWork& parent = sessions_.get(s.parent_uid, 0);
  if (parent.next_seq > 0) return;
  if (parent.started_at == 0 || s.started_at < parent.started_at) parent.started_at = s.started_at;
  parent.ended_at = std::max(parent.ended_at, s.ended_at);
  parent.dirty = true;
}

void Assembler::note_usage(SessionWork& s, const Event& e) {
  if (e.response_key == 0) return;
  const TokenUsage delta = responses_.add(e.response_key, e.usage, s.pk, s.has_draft ? s.draft.number : -1);
  if (delta == TokenUsage{}) return;
  s.tokens += delta;
  s.dirty = true;
  if (!s.has_draft) return;
  s.draft.tokens += delta;
  s.draft.dirty = true;
}

void Assembler::note_fork(SessionWork& s, const Event& e) {
  if (!s.forked_from.empty() || s.next_seq > 0) return;
  const auto owner = events_.session_of(e.event_id);
  if (!owner || *owner == s.pk) return;
  auto& q = db_.prepare("SELECT uid FROM sessions WHERE session_pk = ?");
  q.bind(*owner);
  if (q.step()) s.forked_from = q.str(0);
  q.reset();
  s.dirty = true;
}

}  // namespace memd::assembly

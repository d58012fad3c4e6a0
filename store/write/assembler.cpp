#include "store/write/assembler.hpp"

#include "store/write/git_rows.hpp"

#include <algorithm>
#include <utility>

namespace memd::assembly {
namespace {

// The end of the agent's newest text in the exchange.
std::string last_said(const ExchangeDraft& draft) {
  constexpr std::size_t kMost = 16 * 1024;  // a plan is longer than an answer
  const std::string& all = draft.text.assistant_response;
  const std::size_t from =
      std::max(std::min(draft.answer_offset, all.size()), all.size() - std::min(all.size(), kMost));
  return all.substr(from);
}

}  // namespace

Assembler::Assembler(sqlite::Database& db)
    : db_(db),
      identities_(db),
      rows_(db, identities_),
      paths_(db),
      events_(rows_, paths_),
      exchanges_(db),
      history_(db, rows_, exchanges_),
      sessions_(db, exchanges_, history_),
      responses_(db, identities_),
      copies_(db, rows_, sessions_),
      chain_(db, identities_),
      branches_(db, rows_),
      tail_(db),
      facts_(db, rows_, events_, sessions_, responses_),
      exchange_(rows_, exchanges_, paths_),
      observations_(db, rows_),
      calls_(db, rows_, events_, exchange_, observations_, paths_),
      echoes_(db, rows_, exchange_, paths_) {}

AssemblyStats Assembler::apply(EventBatch& batch, const Source& source, std::string_view adapter_version, TimeMs now,
                               const BatchNotes& notes) {
  copies_.clear();  // other sources may have added events since
  AssemblyStats stats;
  const bool is_read_again =
      source.generation > 0 || source.format == SourceFormat::json || read_again_.contains(source.id);
  AssemblyContext context{source, adapter_version, now, notes, stats, is_read_again};
  for (const auto& update : batch.sessions)
    facts_.update(update, now);
  for (const auto& record : batch.silent)
    chain_.pass(sessions_.get(record.session_uid, now).pk, record);
  const std::span<Event> events(batch.events);
  for (std::size_t i = 0; i < events.size(); ++i)
    apply_event(events[i], events.subspan(i + 1), context);
  facts_.give_titles(batch, now);
  return stats;
}

// Removes the prompts from a history, because the transcript continues at their place.
void Assembler::withdraw_history_prompts(SessionWork& s) {
  history_.withdraw(s);
  if (s.next_seq > 0) return;
  s.cwd.clear();
  s.project_pk = 0;
}

// Claims a prompt that a history of this machine stored under another session.
void Assembler::claim_history_prompt(SessionWork& s, const Event& e, const AssemblyContext& context) {
  const std::int64_t project =
      s.project_pk != 0 || e.cwd.empty() ? s.project_pk : sessions_.rows().projects().intern(e.cwd);
  const auto holder = history_.holder_of(e, project);
  if (!holder || *holder == s.uid || !sessions_.rows().machine_of(s.uid).empty()) return;
  SessionWork& other = sessions_.get(*holder, context.now);
  history_.withdraw(other);
  const TimeMs end = std::exchange(other.ended_at, 0);
  history_.cover(other, e);
  other.ended_at = end;
  other.made_by_history = true;
  if (s.inherited == 0) s.inherited = other.inherited;
  other.inherited = 0;
}

void Assembler::apply_event(Event& e, std::span<const Event> following, AssemblyContext& context) {
  SessionWork& s = sessions_.get(e.session_uid, context.now);
  facts_.complete(s, e);
  facts_.note_model(s, e);
  if (e.origin == Origin::history && e.kind == EventKind::user_msg) {
    if (s.project_pk == 0 && !e.cwd.empty()) s.project_pk = sessions_.rows().projects().intern(e.cwd);
    s.made_by_history = s.made_by_history || s.next_seq == 0;
    const bool kept = history_.add(s, e, context.source.id, context.adapter_version);
    ++(kept ? context.stats.events : context.stats.duplicates);
    return;
  }
  if (copies_.is_copy(s, e, following)) {
    ++context.stats.duplicates;
    return;
  }
  if (copies_.shows_copy(s, e)) {
    remove({s.pk, s.draft.first_seq, 0}, std::string(s.uid), context.now);  // the session in memory is dropped
    context.stats.duplicates += 2;
    return;
  }
  if (!s.history.empty()) withdraw_history_prompts(s);
  const std::int64_t seq = s.next_seq;
  EventParent parent = chain_.parent_of(s.pk, e);
  if (const auto original = rows_.original_of(s, e, parent)) {
    chain_.pass(s.pk, {s.uid, e.event_id, *original});
    ++context.stats.duplicates;
    return;
  }
  std::optional<OpenCall> call = e.kind == EventKind::tool_result ? calls_.find_call(s, e) : std::nullopt;
  if (echoes_.is_told(s, e, call)) {
    ++context.stats.duplicates;
    return;
  }
  if (call) calls_.judge_run(*call, e);
  if (e.turns_taken_back > 0 && !e.parent_id) parent = branches_.before_last(s, e.turns_taken_back);
  // Not the file of a fork, which begins with what this session said.
  const bool of_session = context.source.session_uid.empty() || context.source.session_uid == s.uid;
  if (s.source == 0 && s.kind == SessionKind::main && of_session) {
    s.source = context.source.id;
    s.dirty = true;
  }
  if (!events_.append(s, e, call ? std::optional(call->seq) : std::nullopt, parent, context)) {
    facts_.note_copy(s, e);
    if (!e.is_echo) facts_.note_usage(s, e);  // a glued repetition may carry the larger figure
    return;
  }
  chain_.added(s.pk, e.event_id, seq);
  facts_.note_title(s, e.event_id);
  if (s.counted_elsewhere) {
    sessions_.rows().drop_record_counts(s);
    if (!e.cwd.empty()) s.project_pk = 0;  // the project of the directory in which it began
  }
  facts_.note_times(s, e.time);
  facts_.note_life(s, e, context.now);
  if (e.lifecycle == "session_start" && (!s.forked_from.empty() || !s.parent_uid.empty())) {
    sessions_.rows().save(s, context.now);  // so that its origin, which is read next, finds it
    s.dirty = true;
  }
  if (!s.history.empty()) history_.cover(s, e);
  if (e.kind == EventKind::user_msg && e.starts_exchange) claim_history_prompt(s, e, context);

  // The agent's text that the user may be answering. A prompt closes the exchange that holds it.
  const bool words = e.kind == EventKind::user_msg || e.kind == EventKind::human_intervention;
  const std::string offered = words && s.has_draft ? last_said(s.draft) : std::string();
  const std::optional<std::int64_t> before = s.has_draft ? std::optional(s.draft.first_seq) : std::nullopt;
  exchange_.take(s, e, seq, context);
  // The prompt follows an event before the preceding exchange, or Codex reports a rollback.
  const bool asks_again = before && s.draft.first_seq == seq && parent.seq && *parent.seq < *before;
  if (before && (asks_again || (e.lifecycle == "rollback" && (parent.seq || parent.is_root)))) {
    if (!s.draft.stored) exchanges_.save(s, s.draft, context.now);
    branches_.settle(s);
  }
  // The model goes on with an exchange before the last one.
  const bool works = e.kind == EventKind::assistant_msg || e.kind == EventKind::tool_call;
  if (works && before && parent.seq && *parent.seq < s.draft.first_seq && branches_.any(s.pk)) branches_.settle(s);
  facts_.note_context(s, e, seq, context);

  switch (e.kind) {
    case EventKind::user_msg:
    case EventKind::human_intervention: note_words(s, e, seq, offered); break;
    case EventKind::decision: observations_.note_choice(s, e, seq); break;
    case EventKind::assistant_msg:
      if (e.is_sidechain && s.kind == SessionKind::main) break;
      exchange_.add_answer(s, e);
      Echoes::note_answer(s, e, seq);
      observations_.note_answer(s, e, seq, context.notes);
      break;
    case EventKind::tool_call: calls_.note_call(s, e, seq, context); break;
    case EventKind::tool_result: calls_.note_result(s, e, seq, call, context); break;
    case EventKind::edit: calls_.note_edit(s, e); break;
    case EventKind::lifecycle: note_lifecycle(s, e, seq); break;
    default: break;
  }
  facts_.note_usage(s, e);
}

void Assembler::note_words(SessionWork& s, const Event& e, std::int64_t seq, std::string_view offered) {
  if (e.kind == EventKind::user_msg && e.starts_exchange) return observations_.note_prompt(s, e, seq, offered);
  if (e.starts_exchange || e.is_sidechain || e.text.empty()) return;
  exchange_.add_intervention(s, e);
  observations_.note_prompt(s, e, seq, offered);
}

void Assembler::note_lifecycle(SessionWork& s, const Event& e, std::int64_t seq) {
  if (e.lifecycle == "compaction") ++s.compactions;
  if (e.lifecycle == "compact_summary") echoes_.take_summary_from_answers(s, e);
  if (e.lifecycle == "usage") Echoes::note_usage(s, e, seq);
  if (e.lifecycle == "pr_link") save_linked_pull_request(db_, rows_, s, e, seq);
}

std::vector<SourceId> Assembler::rewind(std::string_view uid, const Source& source, std::uint32_t keep, TimeMs now) {
  if (!sessions_.exists(uid)) return {};
  flush(now);  // tail_ works on rows
  const auto cut = tail_.find(sessions_.get(uid, now).pk, source.id, keep);
  if (!cut) return {};
  const auto others = tail_.other_sources(*cut, source.id);
  if (std::any_of(others.begin(), others.end(), [](const auto& o) { return !o.can_be_read; })) return {};

  remove(*cut, std::string(uid), now);
  std::vector<SourceId> read_again;
  for (const auto& other : others)
    read_again.push_back(other.id);
  return read_again;
}

// Removes the end of a session. References to it are no longer valid.
void Assembler::remove(const SessionTail::Cut& cut, const std::string& uid, TimeMs now) {
  flush(now);  // from here on only the rows are used
  exchanges_.keep_ids_in_use();
  auto taken_back = std::move(sessions_.get(uid, now).taken_back);
  for (const auto& [number, exchange] : tail_.remove(cut))
    taken_back[number] = exchange;
  chain_.forget();
  sessions_.drop(uid);
  responses_.clear();
  SessionWork& s = sessions_.get(uid, now);
  s.taken_back = std::move(taken_back);
  s.dirty = true;
  if (branches_.any(cut.session_pk)) branches_.settle(s);
}

bool Assembler::opens_exchange(std::string_view uid, SourceId source, std::uint64_t event_id, std::uint32_t item) {
  return rows_.opens_exchange(event_id, uid, source, item);
}

void Assembler::read_again(const Source& source, TimeMs now) {
  flush(now);
  rows_.mark_gone(source.id, source.session_uid);
  read_again_.insert(source.id);
}

void Assembler::flush(TimeMs now) {
  sessions_.flush(now);
  sessions_.rows().projects().settle();
  chain_.write();
  rows_.write();
  responses_.flush();
  identities_.flush();
  exchanges_.write_index();
  history_.flushed();
}

void Assembler::release() {
  identities_.release();
  chain_.release();
}

void Assembler::forget() {
  identities_.forget();
  chain_.forget();
  rows_.forget();
  sessions_.clear();
  sessions_.rows().projects().forget();
  responses_.clear();
  paths_.clear();
  facts_.forget();
  copies_.clear();
  exchanges_.forget();
  history_.forget();
}

}  // namespace memd::assembly

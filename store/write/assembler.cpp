#include "store/write/assembler.hpp"

#include "schemas/hash.hpp"
#include "store/text/path_text.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/redaction/mask_batch.hpp"
#include "store/write/exchange_text.hpp"

#include <algorithm>
#include <utility>

namespace memd::assembly {
namespace {

constexpr std::size_t kSummaryBytes = 120;
// Derived events take their id from the event they come from; adapters number theirs from 0.
constexpr std::uint32_t kDerivedIndexBase = 1u << 16;

std::uint32_t flags_of(const Event& e) {
  std::uint32_t flags = 0;
  if (e.is_error) flags |= kFlagError;
  if (e.is_sidechain) flags |= kFlagSidechain;
  if (e.is_test) flags |= kFlagTest;
  if (e.starts_exchange) flags |= kFlagStartsExchange;
  if (e.time_estimated) flags |= kFlagTimeEstimated;
  if (!e.files.empty() && e.files.front().access == FileAccess::modified) flags |= kFlagModifies;
  return flags;
}

// Behind the tag that stands on the first line alone: models that think in the open write "<thinking>" there.
std::string_view behind_tag(std::string_view text) {
  const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 1);
  const bool tag = text.starts_with('<') && end != std::string_view::npos && text.substr(end).starts_with(">\n");
  return tag ? text.substr(end + 1) : text;
}

std::string summary_of(const Event& e) {
  if (e.kind == EventKind::lifecycle)
    return e.summary.empty() ? e.lifecycle : e.lifecycle + ": " + first_line(e.summary, kSummaryBytes);
  if (e.kind == EventKind::thinking) return {};  // fetched from the raw record when somebody asks
  const std::string_view text = e.summary.empty() ? e.text : e.summary;
  return first_line(e.kind == EventKind::assistant_msg ? behind_tag(text) : text, kSummaryBytes);
}

// Whether the event belongs into an exchange even if no human turn came before it.
bool needs_exchange(const Event& e) {
  switch (e.kind) {
    case EventKind::assistant_msg:
    case EventKind::tool_call:
    case EventKind::user_msg:
    case EventKind::human_intervention: return true;
    default: return false;
  }
}

}  // namespace

Assembler::Assembler(sqlite::Database& db)
    : db_(db),
      identities_(db),
      events_(db, identities_),
      exchanges_(db),
      observations_(db),
      history_(db, events_, exchanges_),
      copies_(db, events_),
      paths_(db),
      responses_(db, identities_),
      titles_(db),
      sessions_(db, exchanges_, history_),
      tail_(db) {}

AssemblyStats Assembler::apply(EventBatch& batch, const Source& source, std::string_view adapter_version, TimeMs now,
                               const BatchNotes* notes) {
  mask_secrets(batch);
  const BatchNotes made = notes == nullptr ? BatchNotes(batch) : BatchNotes();
  copies_.clear();  // other sources may have said more since
  AssemblyStats stats;
  Context context{source, adapter_version, now, notes == nullptr ? made : *notes, stats};
  for (const auto& update : batch.sessions)
    apply_update(update, now);
  for (auto& event : batch.events)
    apply_event(event, context);
  // A title may point at a record of this very batch.
  for (const auto& update : batch.sessions) {
    if (update.title_record_key == 0 || update.title.empty()) continue;
    if (const auto owner = events_.session_of(update.title_record_key)) {
      auto& q = db_.prepare("SELECT uid FROM sessions WHERE session_pk = ?");
      q.bind(*owner);
      q.step();
      const std::string uid = q.str(0);
      q.reset();
      SessionWork& s = sessions_.get(uid, now);
      if (update.title_rank >= s.title_rank) s.title = update.title, s.title_rank = update.title_rank, s.dirty = true;
    } else {
      titles_.wait_for(update.title_record_key, update.title, update.title_rank);
    }
  }
  return stats;
}

bool Assembler::insert(SessionWork& s, const Event& e, std::optional<std::int64_t> pair_seq, Context& context) {
  EventRecord row;
  row.pair_seq = pair_seq;
  row.session_pk = s.pk;
  row.seq = s.next_seq;
  row.event_id = e.event_id;
  row.time = e.time;
  row.kind = e.kind;
  row.role = e.role;
  row.origin = e.origin;
  row.tool = e.tool;
  row.call_key = e.call_id.empty() ? 0 : hash64(e.call_id);
  row.input_hash = content_hash(e);
  row.path_pk = e.files.empty() ? 0 : paths_.intern(e.files.front().path);
  row.flags = flags_of(e);
  row.summary = summary_of(e);
  row.tokens = static_cast<std::int64_t>((e.text.size() + 3) / 4);
  row.source = context.source.id;
  row.raw = e.raw;
  if (!events_.insert(std::move(row))) {
    ++context.stats.duplicates;
    note_fork(s, e);
    return false;
  }
  ++s.next_seq;
  ++context.stats.events;
  s.dirty = true;
  return true;
}

void Assembler::insert_derived(SessionWork& s, const Event& from, std::int64_t parent_seq, EventKind kind,
                               std::string_view summary, std::uint32_t flags, std::int64_t path_pk, Context& context) {
  EventRecord row;
  row.session_pk = s.pk;
  row.seq = s.next_seq;
  row.event_id = event_key(from.event_id, kDerivedIndexBase + static_cast<std::uint32_t>(s.next_seq - parent_seq));
  row.time = from.time;
  row.kind = kind;
  row.role = from.role;
  row.parent_seq = parent_seq;
  row.tool = from.tool;
  row.flags = flags | kFlagDerived | (from.is_sidechain ? kFlagSidechain : 0u);
  row.summary = kind == EventKind::lifecycle ? std::string(summary) : first_line(summary, kSummaryBytes);
  row.path_pk = path_pk;
  row.source = context.source.id;
  row.raw = from.raw;
  const std::int64_t seq = row.seq;
  if (!events_.insert(std::move(row))) return;
  ++s.next_seq;
  ++context.stats.events;
  if (s.has_draft) s.draft.last_seq = seq;
}

void Assembler::complete(const SessionWork& s, Event& e) {
  if (e.time == 0 && s.ended_at != 0) {
    e.time = s.ended_at;
    e.time_estimated = true;
  }
  // The words with which a parent agent starts a subagent look like anybody's where the platform makes no difference.
  if (e.origin == Origin::typed && s.kind != SessionKind::main) e.origin = Origin::parent_agent;
  const std::string& directory = e.cwd.empty() ? s.cwd : e.cwd;
  for (FileTouch& file : e.files)
    file.path = absolute_path(file.path, directory);
}

// The transcript goes on where prompts from a history stand.
void Assembler::give_way(SessionWork& s) {
  history_.withdraw(s);
  if (s.next_seq > 0) return;
  s.cwd.clear();
  s.project_pk = 0;
}

// A prompt that a history filed under another session.
void Assembler::take_over(SessionWork& s, const Event& e, Context& context) {
  const auto holder = history_.holder_of(e);
  if (!holder || *holder == s.uid) return;
  SessionWork& other = sessions_.get(*holder, context.now);
  history_.withdraw(other);
  const TimeMs end = std::exchange(other.ended_at, 0);
  history_.cover(other, e);
  other.ended_at = end;
  other.made_by_history = true;
  if (s.inherited == 0) s.inherited = other.inherited;
  other.inherited = 0;
}

void Assembler::apply_event(Event& e, Context& context) {
  SessionWork& s = sessions_.get(e.session_uid, context.now);
  complete(s, e);
  if (e.origin == Origin::history && e.kind == EventKind::user_msg) {
    if (s.project_pk == 0 && !e.cwd.empty()) s.project_pk = sessions_.rows().intern_project(e.cwd);
    s.made_by_history = s.made_by_history || s.next_seq == 0;
    const bool kept = history_.add(s, e, context.source.id, context.adapter_version);
    ++(kept ? context.stats.events : context.stats.duplicates);
    return;
  }
  if (copies_.is_copy(s, e)) {
    ++context.stats.duplicates;
    return;
  }
  if (!s.history.empty()) give_way(s);
  const std::int64_t seq = s.next_seq;
  const std::optional<OpenCall> call = e.kind == EventKind::tool_result ? find_call(s, e) : std::nullopt;
  if (!insert(s, e, call ? std::optional(call->seq) : std::nullopt, context)) {
    note_usage(s, e);  // a glued repetition may carry the larger figure
    return;
  }
  if (s.source == 0 && s.kind == SessionKind::main) s.source = context.source.id;
  if (const auto title = titles_.take(e.event_id); title && title->rank >= s.title_rank) {
    s.title = title->title;
    s.title_rank = title->rank;
  }
  note_times(s, e.time);
  if (e.lifecycle == "session_start" && (!s.forked_from.empty() || !s.parent_uid.empty())) {
    sessions_.rows().save(s, context.now);  // its origin, read next, has to find it
    s.dirty = true;
  }
  if (!s.history.empty()) history_.cover(s, e);
  if (e.kind == EventKind::user_msg && e.starts_exchange) take_over(s, e, context);

  if (e.kind == EventKind::user_msg && e.starts_exchange)
    on_user_message(s, e, seq, context);
  else if (needs_exchange(e))
    draft_for(s, e, seq, context);
  if (s.has_draft) {
    ExchangeDraft& d = s.draft;
    d.last_seq = seq;
    d.ended_at = std::max(d.ended_at, e.time);
    d.dirty = true;
    note_progress(d, e.kind, e.lifecycle, flags_of(e));
  }
  note_context(s, e, seq, context);

  switch (e.kind) {
    case EventKind::user_msg:
    case EventKind::human_intervention:
      if (!e.starts_exchange && !e.is_sidechain && !e.text.empty()) {
        append_paragraph(s.draft.text.interventions, e.text);
        note_rules(s, e, seq);
      }
      break;
    case EventKind::assistant_msg: on_assistant_message(s, e, seq, context); break;
    case EventKind::tool_call: on_tool_call(s, e, seq, context); break;
    case EventKind::tool_result: on_tool_result(s, e, seq, call, context); break;
    case EventKind::edit: on_change(s, e); break;
    case EventKind::lifecycle: on_lifecycle(s, e, seq); break;
    default: break;
  }
  note_usage(s, e);
}

void Assembler::flush(TimeMs now) {
  sessions_.flush(now);
  events_.write();
  responses_.flush();
  identities_.flush();
  exchanges_.write_index();
  history_.flushed();
}

void Assembler::release() { identities_.release(); }

void Assembler::forget() {
  identities_.forget();
  events_.forget();
  sessions_.clear();
  responses_.clear();
  paths_.clear();
  titles_.forget();
  copies_.clear();
  exchanges_.forget();
  history_.forget();
}

}  // namespace memd::assembly

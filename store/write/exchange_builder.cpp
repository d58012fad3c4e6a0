#include "store/write/exchange_builder.hpp"

#include "schemas/base/hash.hpp"

#include <algorithm>
#include <utility>

namespace memd::assembly {
namespace {

// Returns whether the event belongs to an exchange even if no prompt came before it.
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

void ExchangeBuilder::take(SessionWork& s, const Event& e, std::int64_t seq, const AssemblyContext& context) {
  if (e.kind == EventKind::user_msg && e.starts_exchange)
    open_with_prompt(s, e, seq, context);
  else if (!s.has_draft && needs_exchange(e))
    open(s, e, seq, context);
  if (!s.has_draft) return;
  ExchangeDraft& d = s.draft;
  d.last_seq = seq;
  d.ended_at = std::max(d.ended_at, e.time);
  d.dirty = true;
}

void ExchangeBuilder::open(SessionWork& s, const Event& e, std::int64_t seq, const AssemblyContext& context) {
  close(s, context.now);
  s.draft = {};
  ExchangeDraft& d = s.draft;
  d.number = exchanges_.free_number(s.uid, s.next_exchange);
  s.next_exchange = d.number + 1;
  const auto taken_back = s.taken_back.extract(d.number);
  const ExchangeId inherited = std::exchange(s.inherited, 0);
  d.pk = taken_back ? taken_back.mapped() : inherited != 0 ? inherited : exchanges_.next_id();
  d.first_seq = d.last_seq = seq;
  d.started_at = d.ended_at = e.time;
  d.echo_known = true;
  d.adapter_version = context.adapter_version;
  d.dirty = true;
  s.has_draft = true;
}

void ExchangeBuilder::close(SessionWork& s, TimeMs now) {
  if (!s.has_draft) return;
  if (s.draft.dirty) exchanges_.save(s, s.draft, now);
  s.has_draft = false;
}

void ExchangeBuilder::open_with_prompt(SessionWork& s, const Event& e, std::int64_t seq,
                                       const AssemblyContext& context) {
  // Messages queued while the agent worked come again as the next prompt; they must not be stored twice.
  if (s.has_draft && remove_paragraph(s.draft.text.interventions, e.text)) {
    s.draft.dirty = true;
    events_.supersede_queued(s.pk, s.draft.first_seq, hash64(e.text));
  }
  open(s, e, seq, context);
  ExchangeDraft& d = s.draft;
  d.origin = e.origin;
  d.has_user_message = true;
  d.user_event_id = e.event_id;
  // A prompt without words is what came with it: "[image: receipt.png]".
  append_paragraph(d.text.user_message, e.text.empty() ? e.summary : e.text);
  ++s.turns;
}

void ExchangeBuilder::add_intervention(SessionWork& s, const Event& e) {
  append_paragraph(s.draft.text.interventions, e.text);
}

void ExchangeBuilder::add_answer(SessionWork& s, const Event& e) {
  s.draft.answer_offset = append_paragraph(s.draft.text.assistant_response, e.text);
}

void ExchangeBuilder::add_call(SessionWork& s, const Event& e) {
  ExchangeDraft& d = s.draft;
  ++d.tool_calls;
  if (!e.tool.empty() && !d.tools.contains(e.tool)) d.tools.insert(e.tool);
  add_tool_line(d, e.search_text);
  touch_files(s, e);
}

void ExchangeBuilder::touch_files(SessionWork& s, const Event& e) {
  for (const auto& file : e.files)
    ++s.draft.files[{paths_.intern(file.path), file.access}].touches;
}

void ExchangeBuilder::add_changed_lines(SessionWork& s, std::int64_t path_pk, std::int64_t added,
                                        std::int64_t removed) {
  ExchangeDraft& d = s.draft;
  d.lines_added += added;
  d.lines_removed += removed;
  FileTotals& totals = d.files[{path_pk, FileAccess::modified}];
  totals.lines_added += added;
  totals.lines_removed += removed;
  d.dirty = true;
}

}  // namespace memd::assembly

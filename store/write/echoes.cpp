#include "store/write/echoes.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/sql_text.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace memd::assembly {
namespace {

// Two records of one message may differ in white space: one joins its parts with a line break, the other does not.
std::string without_blanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return !ascii::is_space(c); });
  return out;
}

// Two records of one message are near each other: only the end of `text` is searched.
bool holds(std::string_view text, std::string_view piece) {
  constexpr std::size_t kNear = 64 * 1024;
  text.remove_prefix(text.size() - std::min(text.size(), std::max(kNear, 2 * piece.size())));
  return without_blanks(text).find(without_blanks(piece)) != std::string::npos;
}

std::string_view newest_answer(const ExchangeDraft& draft) {
  const std::string_view all = draft.text.assistant_response;
  return all.substr(std::min(draft.answer_offset, all.size()));
}

}  // namespace

bool Echoes::is_told(SessionWork& s, const Event& e, std::optional<OpenCall>& call) {
  if (!e.is_echo) {
    if (e.kind == EventKind::assistant_msg) return s.has_draft && answers_as_echo(s, e);
    // Other results are known by their event ids.
    if (e.kind != EventKind::tool_result || call || !e.id_is_local || e.call_id.empty()) return false;
  }
  if (e.kind != EventKind::tool_call && rows_.place_of(e.event_id)) return false;  // a record that is read again
  const auto row = find_told(s, e, call);
  const bool record_is_to_come = e.kind == EventKind::tool_result && call;  // and may have the id of the echo
  if (row && !record_is_to_come) rows_.add_identity(s.pk, *row, e.event_id);
  return row.has_value();
}

// Returns a row of what the event says, so that the event is known when it is read again.
std::optional<std::int64_t> Echoes::find_told(SessionWork& s, const Event& e, std::optional<OpenCall>& call) {
  const ExchangeDraft& d = s.draft;
  switch (e.kind) {
    case EventKind::user_msg: {
      const bool follows_prompt = s.has_draft && d.has_user_message && d.first_seq + 1 == s.next_seq;
      if (follows_prompt ||
          (s.has_draft && (holds(d.text.user_message, e.text) || holds(d.text.interventions, e.text))))
        return d.first_seq;
      return std::nullopt;
    }
    case EventKind::assistant_msg:
      return s.has_draft && holds(d.text.assistant_response, e.text) ? std::optional(d.first_seq) : std::nullopt;
    case EventKind::tool_call: return find_call(s, e);
    case EventKind::tool_result: return find_result(s, e, call);
    case EventKind::lifecycle: return e.lifecycle == "usage" ? find_usage(s, e) : std::nullopt;
    default: return std::nullopt;
  }
}

void Echoes::note_answer(SessionWork& s, const Event& e, std::int64_t seq) {
  s.draft.echo_known = true;
  s.draft.echo_answer = e.is_echo ? std::optional(seq) : std::nullopt;
}

void Echoes::note_usage(SessionWork& s, const Event& e, std::int64_t seq) {
  s.usage_known = true;
  s.told_usage = e.is_echo ? std::nullopt : std::optional(SessionWork::ToldUsage{seq, usage_line(e.usage)});
}

// The record of a message comes after an echo of it, or of the larger part of it: it takes the echo's place.
bool Echoes::answers_as_echo(SessionWork& s, const Event& e) {
  ExchangeDraft& d = s.draft;
  if (!d.echo_known) {
    rows_.write();
    const auto row = db_.query(sql_text("SELECT seq, flags & kFlagEcho FROM events WHERE session_pk = ? AND seq >= ?"
                                        " AND kind = EventKind::assistant_msg ORDER BY seq DESC LIMIT 1"),
                               s.pk, d.first_seq)
                         .row();
    d.echo_answer = row->int64(1) != 0 ? std::optional(row->int64(0)) : std::nullopt;
    d.echo_known = true;
  }
  if (!d.echo_answer || !holds(e.text, newest_answer(d)) || rows_.place_of(e.event_id)) return false;
  rows_.take_over(s.pk, *std::exchange(d.echo_answer, std::nullopt), e);
  remove_paragraph(d.text.assistant_response, std::string(newest_answer(d)));
  exchange_.add_answer(s, e);
  d.dirty = true;
  return true;
}

std::optional<std::int64_t> Echoes::find_call(SessionWork& s, const Event& e) {
  if (e.call_id.empty()) return std::nullopt;
  const std::uint64_t key = hash64(e.call_id);
  std::optional<std::int64_t> call;
  if (const auto it = s.open_calls.find(key); it != s.open_calls.end()) {
    call = it->second.seq;
  } else if (const auto place = rows_.place_of(e.event_id)) {
    if (place->session_pk != s.pk) return std::nullopt;  // a copy
    call = place->place;
  } else if (e.id_is_local) {  // other calls are known by their event ids
    if (const auto open = rows_.find_open_call(s.pk, key))
      call = open->seq;
    else if (const auto answered = rows_.find_answered_call(s.pk, key, s.next_seq))
      call = answered->call.seq;
  }
  if (!call) return std::nullopt;
  for (const FileTouch& file : e.files)
    if (file.deletes) rows_.count_planned_edit(s.pk, *call, paths_.intern(file.path), file);
  return call;
}

std::optional<std::int64_t> Echoes::find_result(SessionWork& s, const Event& e, std::optional<OpenCall>& call) {
  if (call) return call->is_echo || e.facts.exit_code ? std::nullopt : std::optional(call->seq);
  const auto answered = rows_.find_answered_call(s.pk, hash64(e.call_id), s.next_seq);
  if (!answered || (!e.is_echo && !answered->by_echo)) return std::nullopt;
  if (e.is_echo && e.facts.exit_code && !answered->tells_exit) {
    call = answered->call;
    return std::nullopt;
  }
  return answered->call.seq;
}

std::optional<std::int64_t> Echoes::find_usage(SessionWork& s, const Event& e) {
  if (!s.usage_known && s.next_seq > 0) {
    rows_.write();
    if (const auto row =
            db_.query(sql_text("SELECT seq, summary FROM events WHERE session_pk = ? AND kind = EventKind::lifecycle"
                               " AND (summary = 'usage' OR summary LIKE 'usage: %') ORDER BY seq DESC LIMIT 1"),
                      s.pk)
                .row())
      s.told_usage = SessionWork::ToldUsage{row->int64(0), row->str(1)};
  }
  s.usage_known = true;
  if (!s.told_usage || s.told_usage->line != usage_line(e.usage)) return std::nullopt;
  rows_.set_content(s.pk, s.told_usage->seq, e);  // a copy of this record in a fork is recognised by its content
  return s.told_usage->seq;
}

void Echoes::take_summary_from_answers(SessionWork& s, const Event& e) {
  if (!s.has_draft) return;
  ExchangeDraft& d = s.draft;
  const std::string answer(newest_answer(d));
  if (without_blanks(answer).empty() || !without_blanks(e.text).ends_with(without_blanks(answer))) return;
  if (!remove_paragraph(d.text.assistant_response, answer)) return;
  d.answer_offset = d.text.assistant_response.size();
  d.echo_known = false;
  d.dirty = true;
  const auto left = rows_.withdraw_answer(s.pk, d.first_seq);
  if (!left) return;
  // The length of the answer before is known in units of four bytes.
  constexpr std::string_view kGap = "\n\n";
  const std::string_view all = d.text.assistant_response;
  const auto longest = static_cast<std::size_t>(*left) * 4;
  for (std::size_t length = longest; length + 4 > longest && length > 0; --length) {
    if (length > all.size()) continue;
    const auto before = all.substr(0, all.size() - length);
    if (before.empty() || before.ends_with(kGap)) d.answer_offset = before.size();
  }
}

}  // namespace memd::assembly

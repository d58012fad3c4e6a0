#include "store/write/history_prompts.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/text/plain_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace memd::assembly {
namespace {

// Maximum time between an entry of the history and the transcript's record of the same prompt, in milliseconds. A
// queued prompt may come later, but by then the transcript has gone on and covers it.
constexpr TimeMs kSamePrompt = 60'000;

bool is_same_project(std::int64_t a, std::int64_t b) { return a == b || a == 0 || b == 0; }

bool is_near(TimeMs a, TimeMs b) { return std::llabs(a - b) <= kSamePrompt; }

}  // namespace

bool HistoryPrompts::is_in_transcript(const SessionWork& s, const Event& e) {
  if (s.next_seq > 0 && e.time <= s.ended_at) return true;
  events_.write();
  bool found = db_.query(sql_text("SELECT 1 FROM events WHERE session_pk = ? AND seq < ? AND kind = EventKind::user_msg"
                                  " AND input_hash = ? AND abs(time - ?) <= ?"),
                         s.pk, s.next_seq, as_sql(hash64(e.text)), e.time, kSamePrompt)
                   .any();
  if (found) return true;
  found =
      db_.query(sql_text("SELECT 1 FROM exchanges x JOIN events e ON e.session_pk = x.session_pk"
                         " AND e.seq = x.first_seq JOIN sessions s ON s.session_pk = x.session_pk"
                         " WHERE x.started_at BETWEEN ?1 AND ?2 AND x.origin <> Origin::history AND s.shared_by = ''"
                         " AND e.kind = EventKind::user_msg AND e.input_hash = ?3"
                         " AND (?4 = 0 OR coalesce(s.own_project_pk, ?4) = ?4)"),
                e.time - kSamePrompt, e.time + kSamePrompt, as_sql(hash64(e.text)), s.project_pk)
          .any();
  return found;
}

bool HistoryPrompts::add(SessionWork& s, const Event& e, SourceId source, std::string_view adapter_version) {
  const auto same = [&](const HistoryPrompt& p) { return p.event_id == e.event_id; };
  if (std::any_of(s.history.begin(), s.history.end(), same) || is_in_transcript(s, e)) return false;
  withdraw(s);
  HistoryPrompt prompt{e.event_id, e.time, e.raw, source, e.text, e.cwd, std::string(adapter_version), 0};
  const auto place = std::upper_bound(s.history.begin(), s.history.end(), prompt,
                                      [](const auto& a, const auto& b) { return a.time < b.time; });
  s.history.insert(place, std::move(prompt));
  s.dirty = true;
  unstored_.emplace(hash64(e.text), Unstored{s.uid, e.time, s.project_pk});
  any_ = true;
  return true;
}

void HistoryPrompts::withdraw(SessionWork& s) {
  if (!s.history_stored) return;
  s.history_stored = false;
  s.dirty = true;
  exchanges_.keep_ids_in_use();  // while the highest ids are still in the table
  events_.write_for_deletion();
  exchanges_.remove_from(s.pk, s.next_exchange);
  db_.run("DELETE FROM events WHERE session_pk = ? AND seq >= ?", s.pk, s.next_seq);
  for (const HistoryPrompt& p : s.history)
    unstored_.emplace(hash64(p.text), Unstored{s.uid, p.time, s.project_pk});
}

void HistoryPrompts::cover(SessionWork& s, const Event& e) {
  if (e.kind == EventKind::user_msg) {
    const auto it = std::find_if(s.history.begin(), s.history.end(),
                                 [&](const auto& p) { return p.text == e.text && is_near(p.time, e.time); });
    if (it != s.history.end()) {
      if (e.starts_exchange) s.inherited = it->pk;
      s.history.erase(it);
    }
  }
  std::erase_if(s.history, [&](const HistoryPrompt& p) { return p.time <= s.ended_at; });
  s.dirty = true;
}

bool HistoryPrompts::any() {
  if (!any_) {
    const auto row =
        db_.query(sql_text("SELECT EXISTS (SELECT 1 FROM exchanges WHERE origin = Origin::history)")).row();
    any_ = row->int64(0) != 0;
  }
  return *any_;
}

std::optional<std::string> HistoryPrompts::holder_of(const Event& e, std::int64_t project_pk) {
  if (!any()) return std::nullopt;
  const auto [first, last] = unstored_.equal_range(hash64(e.text));
  for (auto it = first; it != last; ++it)
    if (is_near(it->second.time, e.time) && is_same_project(it->second.project_pk, project_pk)) return it->second.uid;
  auto& q =
      db_.query(sql_text("SELECT s.uid FROM exchanges x JOIN sessions s USING (session_pk)"
                         " WHERE x.started_at BETWEEN ?1 AND ?2 AND x.origin = Origin::history AND x.user_message = ?3"
                         " AND (?4 = 0 OR coalesce(s.own_project_pk, ?4) = ?4) ORDER BY x.exchange_pk LIMIT 1"),
                e.time - kSamePrompt, e.time + kSamePrompt, e.text, project_pk);
  const auto row = q.row();
  return row ? std::optional(row->str(0)) : std::nullopt;
}

void HistoryPrompts::store(SessionWork& s, TimeMs now) {
  if (s.history_stored || s.history.empty()) return;
  std::int64_t seq = s.next_seq;
  std::int64_t number = s.next_exchange;
  for (HistoryPrompt& p : s.history) {
    EventRecord row;
    row.session_pk = s.pk;
    row.seq = seq;
    row.event_id = p.event_id;
    row.time = p.time;
    row.kind = EventKind::user_msg;
    row.role = Role::user;
    row.origin = Origin::history;
    row.input_hash = hash64(p.text);
    row.flags = kFlagStartsExchange;
    row.summary = first_line(p.text, kEventSummaryBytes);
    row.tokens = text_tokens(p.text);
    row.source = p.source;
    row.raw = p.raw;
    if (!events_.insert(std::move(row))) continue;

    ExchangeDraft d;
    if (p.pk == 0) p.pk = exchanges_.next_id();
    d.pk = p.pk;
    d.number = exchanges_.free_number(s.uid, number);
    d.first_seq = d.last_seq = seq;
    d.started_at = d.ended_at = p.time;
    d.origin = Origin::history;
    d.has_user_message = true;
    d.user_event_id = p.event_id;
    d.cwd = p.cwd;
    d.adapter_version = p.adapter_version;
    append_paragraph(d.text.user_message, p.text);
    exchanges_.save(s, d, now);
    number = d.number + 1;
    ++seq;
  }
  s.history_stored = true;
}

void HistoryPrompts::load(SessionWork& s) {
  auto& q = db_.query(
      "SELECT e.event_id, e.time, e.raw_offset, e.raw_length, e.raw_block, e.source_pk, x.user_message,"
      " x.working_directory, x.adapter_version, x.exchange_pk FROM events e JOIN exchanges x"
      " ON x.session_pk = e.session_pk AND x.first_seq = e.seq WHERE e.session_pk = ? AND e.seq >= ? ORDER BY e.seq",
      s.pk, s.next_seq);
  while (q.step()) {
    const RawRef raw{from_sql(q.int64(2)), static_cast<std::uint32_t>(q.int64(3)),
                     static_cast<std::uint16_t>(q.int64(4))};
    s.history.push_back({from_sql(q.int64(0)), q.int64(1), raw, q.int64(5), q.str(6), q.str(7), q.str(8), q.int64(9)});
  }
  if (s.history.empty()) return;
  s.history_stored = true;
  // The row counts transcript and history together.
  s.turns -= static_cast<std::int64_t>(s.history.size());
  const auto row = db_.query(
                          "SELECT coalesce(min(nullif(time, 0)), 0), coalesce(max(time), 0) FROM events WHERE "
                          "session_pk = ? AND seq < ?",
                          s.pk, s.next_seq)
                       .row();
  s.started_at = row->int64(0);
  s.ended_at = row->int64(1);
  if (s.next_seq > 0) return;
  s.cwd.clear();
  s.project_pk = 0;
}

void HistoryPrompts::forget() {
  unstored_.clear();
  any_.reset();
}

}  // namespace memd::assembly

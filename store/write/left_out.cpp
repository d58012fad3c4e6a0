#include "store/write/left_out.hpp"

#include "schemas/language_model.hpp"
#include "schemas/sql_text.hpp"
#include "store/write/assembler.hpp"
#include "store/write/retention.hpp"

#include <algorithm>
#include <vector>

namespace memd::ingestion {
namespace {

void skip(CoverageEntry& entry, std::string_view reason) {
  if (entry.disposition != Disposition::indexed) return;
  entry.disposition = Disposition::skipped;
  entry.reason = reason;
}

void skip_ledger(SourceSlice& slice, std::string_view reason) {
  for (auto& entry : slice.batch.coverage)
    skip(entry, reason);
  if (!slice.items) return;
  for (auto& item : slice.items->added)
    skip(item.ledger, reason);
}

// Removes the events for which `is_out` holds from the slice. If none is left, the slice's indexed records become
// skipped for `reason` in the ledger.
void leave_out(SourceSlice& slice, const std::function<bool(const Event&)>& is_out, std::string_view reason) {
  auto& events = slice.batch.events;
  const auto dropped = std::erase_if(events, is_out);
  if (dropped > 0 && events.empty()) skip_ledger(slice, reason);
}

// Removes everything from the slice.
void leave_out_all(SourceSlice& slice, std::string_view reason) {
  slice.batch.events.clear();
  slice.batch.silent.clear();
  slice.batch.sessions.clear();
  skip_ledger(slice, reason);
  if (slice.items) skip(slice.items->head.ledger, reason);
}

bool is_prompt(const Event& e) { return e.kind == EventKind::user_msg && e.origin != Origin::injected; }

}  // namespace

void EvictedSessions::load(sqlite::Database& db) {
  evictions_.clear();
  auto& q =
      db.query("SELECT uid, evicted_through, coalesce(evicted_at, 0) FROM sessions WHERE evicted_through IS NOT NULL");
  while (q.step())
    evictions_[q.str(0)] = {q.int64(1), q.int64(2)};
}

void EvictedSessions::take_out_of(SourceSlice& slice, TimeMs now) const {
  if (evictions_.empty()) return;
  bool came_later = false;
  const auto is_out = [&](const Event& e) {
    const auto it = evictions_.find(e.session_uid);
    if (it == evictions_.end() || e.time > it->second.through) return false;
    came_later = came_later || now > it->second.at;
    return true;
  };
  auto& events = slice.batch.events;
  if (std::erase_if(events, is_out) > 0 && events.empty() && came_later) skip_ledger(slice, retention::kEvictedReason);
  std::erase_if(slice.batch.sessions, [&](const SessionUpdate& s) {
    const auto it = evictions_.find(s.session_uid);
    return it != evictions_.end() && now <= it->second.at;
  });
}

void OwnSessions::load() {
  uids_.clear();
  auto& q = db_.query("SELECT uid FROM own_sessions");
  while (q.step())
    uids_.insert(q.str(0));
}

bool OwnSessions::leave_out_of(SourceSlice& slice, TimeMs now) {
  find_in(slice, now);
  if (uids_.empty()) return false;
  const auto is_own = [this](std::string_view uid) { return uids_.contains(uid); };
  if (is_own(slice.items ? std::string_view(slice.items->session_uid) : slice.source.session_uid)) {
    leave_out_all(slice, kOwnReason);
    return true;
  }
  leave_out(
      slice, [&](const Event& e) { return is_own(e.session_uid); }, kOwnReason);
  std::erase_if(slice.batch.sessions, [&](const SessionUpdate& s) { return is_own(s.session_uid); });
  std::erase_if(slice.batch.silent, [&](const EventlessRecord& r) { return is_own(r.session_uid); });
  return false;
}

void OwnSessions::find_in(const SourceSlice& slice, TimeMs now) {
  const auto& events = slice.batch.events;
  for (auto e = events.begin(); e != events.end(); ++e) {
    if (!is_prompt(*e) || !is_own_request(e->text) || uids_.contains(e->session_uid)) continue;
    const bool first_here = std::none_of(
        events.begin(), e, [&](const Event& other) { return other.session_uid == e->session_uid && is_prompt(other); });
    if (first_here && !has_prompt(e->session_uid, now)) add(e->session_uid, now);
  }
  for (const auto& s : slice.batch.sessions)
    if (!s.parent_uid.empty() && uids_.contains(s.parent_uid) && !uids_.contains(s.session_uid))
      add(s.session_uid, now);
}

bool OwnSessions::has_prompt(std::string_view uid, TimeMs now) {
  assembler_.flush(now);
  return db_
      .query(sql_text("SELECT 1 FROM events e JOIN sessions s USING (session_pk) WHERE s.uid = ?"
                      " AND e.kind = EventKind::user_msg AND e.origin <> Origin::injected LIMIT 1"),
             uid)
      .any();
}

void OwnSessions::add(const std::string& uid, TimeMs now) {
  assembler_.flush(now);
  const auto children =  // that were read first
      db_.query("SELECT uid FROM sessions WHERE parent_uid = ?", uid).all(sqlite::first_text);
  retention::remove(db_, uid, kOwnReason);
  assembler_.forget();
  db_.run("INSERT OR IGNORE INTO own_sessions (uid) VALUES (?)", uid);
  uids_.insert(uid);
  for (const auto& child : children)
    if (!uids_.contains(child)) add(child, now);
}

}  // namespace memd::ingestion

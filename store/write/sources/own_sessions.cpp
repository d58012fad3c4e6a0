#include "store/write/sources/own_sessions.hpp"

#include "schemas/own_request.hpp"
#include "store/write/assembler.hpp"
#include "store/write/retention/eviction.hpp"
#include "store/write/sources/left_out.hpp"

#include <algorithm>
#include <vector>

namespace memd::ingestion {
namespace {

bool is_prompt(const Event& e) { return e.kind == EventKind::user_msg && e.origin != Origin::injected; }

}  // namespace

void OwnSessions::load() {
  uids_.clear();
  auto& q = db_.prepare("SELECT uid FROM own_sessions");
  q.bind();
  while (q.step())
    uids_.insert(q.str(0));
  q.reset();
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
  auto& q = db_.prepare(
      "SELECT 1 FROM events e JOIN sessions s USING (session_pk) WHERE s.uid = ? AND e.kind = ? AND e.origin <> ?"
      " LIMIT 1");
  q.bind(uid, static_cast<int>(EventKind::user_msg), static_cast<int>(Origin::injected));
  const bool there = q.step();
  q.reset();
  return there;
}

void OwnSessions::add(const std::string& uid, TimeMs now) {
  assembler_.flush(now);
  std::vector<std::string> children;  // that were read first
  auto& q = db_.prepare("SELECT uid FROM sessions WHERE parent_uid = ?");
  q.bind(uid);
  while (q.step())
    children.push_back(q.str(0));
  q.reset();
  retention::remove(db_, uid, kOwnReason);
  assembler_.forget();
  db_.prepare("INSERT OR IGNORE INTO own_sessions (uid) VALUES (?)").bind(uid).run();
  uids_.insert(uid);
  for (const auto& child : children)
    if (!uids_.contains(child)) add(child, now);
}

}  // namespace memd::ingestion

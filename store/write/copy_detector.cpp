#include "store/write/copy_detector.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/sql_text.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace memd::assembly {
namespace {

constexpr int kLongestChain = 16;
constexpr std::size_t kMostForks = 256;
constexpr TimeMs kAlways = std::numeric_limits<TimeMs>::max();

std::uint64_t fact_of(std::int64_t kind, std::uint64_t content) {
  return hash_combine(static_cast<std::uint64_t>(kind), content);
}

// A row of a copy differs from that of its origin in ids and places only.
std::uint64_t timed_fact(std::int64_t kind, TimeMs time, std::uint64_t content, std::string_view summary,
                         std::int64_t tokens) {
  return hash64(summary, hash_combine(hash_combine(fact_of(kind, content), static_cast<std::uint64_t>(time)),
                                      static_cast<std::uint64_t>(tokens)));
}

std::uint64_t timed_fact(const Event& e) {
  return timed_fact(static_cast<std::int64_t>(e.kind), e.time, content_hash(e), event_summary(e), text_tokens(e.text));
}

bool is_prompt(const Event& e) { return e.kind == EventKind::user_msg && e.starts_exchange; }

}  // namespace

void CopyDetector::add_facts(std::int64_t session_pk, TimeMs until, TimeMs injected_until, Facts& out) {
  events_.write();
  auto& q = db_.query(sql_text("SELECT kind, input_hash FROM events WHERE session_pk = ? AND input_hash IS NOT NULL"
                               " AND time <= iif(origin = Origin::injected, ?, ?)"),
                      session_pk, injected_until, until);
  while (q.step())
    out.insert(fact_of(q.int64(0), from_sql(q.int64(1))));
}

const CopyDetector::Facts& CopyDetector::facts_of_origins(const SessionWork& fork) {
  if (const auto it = origins_.find(fork.uid); it != origins_.end()) return it->second;
  Facts facts;
  std::string uid = fork.forked_from.empty() ? fork.parent_uid : fork.forked_from;
  for (int step = 0; step < kLongestChain && !uid.empty() && uid != fork.uid; ++step) {
    const auto row = db_.query("SELECT session_pk, forked_from, parent_uid FROM sessions WHERE uid = ?", uid).row();
    if (!row) break;
    const std::int64_t pk = row->int64(0);
    std::string next = row->text(1).empty() ? row->str(2) : row->str(1);
    // A subagent may be told time and place in the same second as its parent.
    add_facts(pk, kAlways, fork.forked_from.empty() ? fork.started_at - 1 : kAlways, facts);
    uid = std::move(next);
  }
  return origins_.emplace(fork.uid, std::move(facts)).first->second;
}

const std::vector<CopyDetector::Fork>& CopyDetector::forks_of(const SessionWork& origin) {
  if (const auto it = forks_.find(origin.uid); it != forks_.end()) return it->second;
  // A fork of a fork repeats what the first fork repeated, and may have been read before both.
  struct Descendant {
    std::int64_t pk = 0;
    std::string uid;
    TimeMs started_at = 0;
    TimeMs parted_at = 0;  // when it, or the first fork above it, left the origin
  };
  std::vector<Descendant> found{{0, origin.uid, 0, kAlways}};
  for (std::size_t i = 0; i < found.size() && i < kMostForks; ++i) {
    auto& q = db_.prepare(
        "SELECT session_pk, uid, started_at FROM sessions WHERE started_at <> 0"
        " AND (forked_from = ?1 OR (forked_from = '' AND parent_uid = ?1))");
    const std::string uid = found[i].uid;
    q.bind(uid);
    while (q.step())
      found.push_back({q.int64(0), q.str(1), q.int64(2), std::min(found[i].parted_at, q.int64(2))});
  }
  std::vector<Fork> forks;
  for (std::size_t i = 1; i < found.size(); ++i) {
    Fork fork{found[i].parted_at, {}};
    const TimeMs until = found[i].started_at + kCopyWindowMs;
    add_facts(found[i].pk, until, until, fork.facts);
    forks.push_back(std::move(fork));
  }
  return forks_.emplace(origin.uid, std::move(forks)).first->second;
}

bool CopyDetector::is_written_at_once(const SessionWork& s, const Event& e) {
  if (!e.id_is_local) return false;
  const std::uint64_t content = content_hash(e);
  if (content == 0) return false;
  const std::uint64_t fact = fact_of(static_cast<std::int64_t>(e.kind), content);
  const bool has_origin = !s.forked_from.empty() || !s.parent_uid.empty();
  if (has_origin && s.started_at != 0 && e.time <= s.started_at + kCopyWindowMs && facts_of_origins(s).contains(fact))
    return true;
  for (const Fork& fork : forks_of(s))
    if (e.time < fork.parted_at && fork.facts.contains(fact)) return true;
  return false;
}

bool CopyDetector::is_copy(SessionWork& s, const Event& e, std::span<const Event> following) {
  return is_written_at_once(s, e) || is_written_anew(s, e, following);
}

void CopyDetector::clear() {
  origins_.clear();
  forks_.clear();
  repeated_.clear();
}

// Under new ids with the recorded times.

void CopyDetector::add_timed_facts(std::int64_t session_pk, std::int64_t first_seq, std::int64_t last_seq, Facts& out) {
  events_.write();
  auto& q =
      db_.query(sql_text("SELECT kind, time, coalesce(input_hash, 0), summary, tokens FROM events WHERE session_pk = ?"
                         " AND seq BETWEEN ? AND ? AND flags & kFlagDerived = 0"),
                session_pk, first_seq, last_seq);
  while (q.step())
    out.insert(timed_fact(q.int64(0), q.int64(1), from_sql(q.int64(2)), q.text(3), q.int64(4)));
}

// Returns the exchanges of the platform's other sessions that begin at a time.
std::vector<CopyDetector::Origin> CopyDetector::exchanges_at(const SessionWork& copy, TimeMs started_at) {
  std::vector<Origin> out;
  // The newest exchange of a session may have no row yet.
  for (const SessionWork* s : sessions_.begun_at(started_at))
    if (s->pk != copy.pk && s->platform == copy.platform)
      out.push_back({s->pk, s->uid, s->forked_from, s->draft.first_seq, s->draft.last_seq, {}});
  auto& q = db_.query(
      "SELECT x.session_pk, s.uid, s.forked_from, x.first_seq, x.last_seq FROM exchanges x JOIN sessions s USING"
      " (session_pk) WHERE x.started_at = ? AND x.session_pk <> ? AND s.platform = ? ORDER BY x.exchange_pk",
      started_at, copy.pk, to_string(copy.platform));
  while (q.step())
    out.push_back({q.int64(0), q.str(1), q.str(2), q.int64(3), q.int64(4), {}});
  return out;
}

// Returns the first of the exchanges that begins with the prompt and is of the same machine, with its facts.
std::optional<CopyDetector::Origin> CopyDetector::with_prompt(const SessionWork& copy, std::vector<Origin> exchanges,
                                                              std::uint64_t prompt) {
  SessionRows& rows = sessions_.rows();
  for (Origin& origin : exchanges) {
    add_timed_facts(origin.session_pk, origin.first_seq, origin.last_seq, origin.facts);
    if (origin.facts.contains(prompt) && rows.machine_of(origin.uid) == rows.machine_of(copy.uid))
      return std::move(origin);
  }
  return std::nullopt;
}

// Returns the facts of the exchange in progress at a time, in the session's origin or an origin of that.
const CopyDetector::Facts& CopyDetector::facts_at(const SessionWork& copy, TimeMs time) {
  if (const auto it = repeated_.find(copy.uid); it != repeated_.end()) return it->second;
  Facts& facts = repeated_[copy.uid];
  std::string uid = copy.forked_from;
  for (int step = 0; step < kLongestChain && !uid.empty() && uid != copy.uid; ++step) {
    const auto row = db_.query("SELECT session_pk, forked_from FROM sessions WHERE uid = ?", uid).row();
    const std::int64_t pk = row->int64(0);
    uid = row->str(1);
    auto& x = db_.prepare(
        "SELECT first_seq, last_seq FROM exchanges WHERE session_pk = ? AND started_at <= ?"
        " ORDER BY exchange_number DESC LIMIT 1");
    if (const auto times = x.bind(pk, time).row()) add_timed_facts(pk, times->int64(0), times->int64(1), facts);
  }
  return facts;
}

// A fork of a fork repeats the origin's exchanges, and then those of the first fork.
void CopyDetector::mark(SessionWork& copy, const Origin& origin) {
  const bool is_nearer = copy.forked_from.empty() || origin.forked_from == copy.forked_from;
  if (!is_nearer || origin.forked_from == copy.uid) return;
  copy.forked_from = origin.uid;
  copy.dirty = true;
}

bool CopyDetector::is_written_anew(SessionWork& s, const Event& e, std::span<const Event> following) {
  if (s.next_exchange > 0 || e.time == 0) return false;
  if (events_.session_of(e.event_id)) return false;  // its id tells
  const std::uint64_t fact = timed_fact(e);
  if (!is_prompt(e)) {
    const bool repeats = repeated_.contains(s.uid) || !s.forked_from.empty();
    return repeats && facts_at(s, e.time).contains(fact);
  }
  if (e.time_estimated) return false;
  auto origin = with_prompt(s, exchanges_at(s, e.time), fact);
  if (!origin) return false;
  if (s.forked_from.empty() && !repeated_.contains(s.uid)) {
    const auto next = std::find_if(following.begin(), following.end(), [&](const Event& other) {
      return other.session_uid == s.uid && other.kind != EventKind::lifecycle;
    });
    if (next == following.end() || next->time_estimated || !origin->facts.contains(timed_fact(*next))) return false;
  }
  mark(s, *origin);
  repeated_[s.uid] = std::move(origin->facts);
  return true;
}

bool CopyDetector::shows_copy(SessionWork& s, const Event& e) {
  if (s.next_exchange != 1 || !s.has_draft || !s.forked_from.empty() || is_prompt(e) || e.time == 0 ||
      e.time_estimated || e.kind == EventKind::lifecycle || s.draft.tool_calls > 0 || !s.draft.has_user_message ||
      !s.draft.text.assistant_response.empty())
    return false;
  auto exchanges = exchanges_at(s, s.draft.started_at);
  if (exchanges.empty()) return false;
  Facts own;
  add_timed_facts(s.pk, s.draft.first_seq, s.draft.first_seq, own);
  if (own.empty()) return false;
  auto origin = with_prompt(s, std::move(exchanges), *own.begin());
  if (!origin || !origin->facts.contains(timed_fact(e))) return false;
  mark(s, *origin);
  repeated_[s.uid] = std::move(origin->facts);
  return true;
}

}  // namespace memd::assembly

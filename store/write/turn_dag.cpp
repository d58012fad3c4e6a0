#include "store/write/turn_dag.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/sql_text.hpp"

#include <algorithm>
#include <limits>

namespace memd::assembly {
namespace {

constexpr std::size_t kMostKnown = 200'000;
constexpr int kMostSteps = 4;
constexpr std::size_t kNoTurn = std::numeric_limits<std::size_t>::max();

std::uint64_t place_of(std::int64_t session_pk, std::uint64_t record_id) {
  return hash_combine(record_id, static_cast<std::uint64_t>(session_pk));
}

}  // namespace

const std::uint64_t* RecordChain::known(std::int64_t session_pk, std::uint64_t record_id) const {
  const auto it = known_.find(place_of(session_pk, record_id));
  return it == known_.end() ? nullptr : &it->second;
}

// Returns the id that a record without events follows, or the record's own id if it is not such a record.
std::uint64_t RecordChain::stored(std::int64_t session_pk, std::uint64_t record_id) {
  auto& q = db_.prepare("SELECT follows FROM silent_records WHERE session_pk = ? AND record_key = ?");
  const std::uint64_t follows = from_sql(q.bind(session_pk, as_sql(record_id)).value_or(as_sql(record_id)));
  return follows;
}

std::optional<std::int64_t> RecordChain::event_of(std::int64_t session_pk, std::uint64_t record_id) {
  if (newest_.event_id == record_id && newest_.session_pk == session_pk) return newest_.seq;
  const auto place = identities_.find(record_id);
  // A fork continues from a record of its origin.
  return place && place->session_pk == session_pk ? std::optional(place->place) : std::nullopt;
}

void RecordChain::pass(std::int64_t session_pk, const EventlessRecord& record) {
  const auto [it, fresh] = known_.try_emplace(place_of(session_pk, record.record_id), 0);
  if (!fresh) return;
  std::uint64_t follows = record.parent_id;
  if (follows != 0) {
    if (const std::uint64_t* before = known(session_pk, follows))
      follows = *before;
    else if (newest_.event_id != follows)
      follows = stored(session_pk, follows);
  }
  it->second = follows;
  // In a chain of such records only the last one needs a row, because later records follow it.
  if (!unwritten_.empty() && unwritten_.back().record_id == record.parent_id &&
      unwritten_.back().session_pk == session_pk)
    unwritten_.pop_back();
  unwritten_.push_back({session_pk, record.record_id, follows});
}

EventParent RecordChain::parent_of(std::int64_t session_pk, const Event& e) {
  if (!e.parent_id) return {};
  std::uint64_t id = *e.parent_id;
  // A record without events may follow another that was not known to be one when it was passed.
  for (int step = 0; step < kMostSteps; ++step) {
    const bool passed = step > 0;
    if (id == 0) return {std::nullopt, true, passed};
    if (newest_.event_id == id && newest_.session_pk == session_pk) return {newest_.seq, false, passed};
    if (const std::uint64_t* before = known(session_pk, id)) {
      id = *before;
      continue;
    }
    if (const auto seq = event_of(session_pk, id)) return {seq, false, passed};
    const std::uint64_t before = stored(session_pk, id);
    if (before == id) return {};
    id = before;
  }
  return {};
}

void RecordChain::write() {
  auto& q = db_.prepare(
      "INSERT INTO silent_records (session_pk, record_key, follows) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  std::sort(unwritten_.begin(), unwritten_.end(), [](const Passed& a, const Passed& b) {
    return std::pair(a.session_pk, as_sql(a.record_id)) < std::pair(b.session_pk, as_sql(b.record_id));
  });
  for (const Passed& p : unwritten_)
    q.bind(p.session_pk, as_sql(p.record_id), as_sql(p.follows)).run();
  unwritten_.clear();
  if (known_.size() > kMostKnown) known_.clear();
}

void RecordChain::release() {
  if (unwritten_.empty()) known_ = {};
}

void RecordChain::forget() {
  newest_ = {};
  known_.clear();
  unwritten_.clear();
}

namespace {

// Returns each turn's parent as an index smaller than its own. kNoTurn is the place before the first turn.
std::vector<std::size_t> parents_of(std::span<const Turn> turns) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    std::size_t at = i;
    if (const auto parent = turns[i].parent_seq)
      while (at > 0 && turns[at - 1].first_seq > *parent)
        --at;
    out.push_back(at == 0 ? kNoTurn : at - 1);
  }
  return out;
}

}  // namespace

std::map<std::int64_t, std::int64_t> abandoned_turns(std::span<const Turn> turns) {
  std::map<std::int64_t, std::int64_t> out;
  if (turns.empty()) return out;
  const std::vector<std::size_t> parents = parents_of(turns);
  std::vector<bool> on_way(turns.size());
  std::vector<std::size_t> next(turns.size(), kNoTurn);  // for turns on the path to the last turn
  std::size_t first = turns.size() - 1;
  on_way[first] = true;
  for (std::size_t i = first; parents[i] != kNoTurn; i = first) {
    first = parents[i];
    on_way[first] = true;
    next[first] = i;
  }
  std::vector<std::size_t> left_for(turns.size(), kNoTurn);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (on_way[i]) continue;
    left_for[i] = parents[i] == kNoTurn ? first : on_way[parents[i]] ? next[parents[i]] : left_for[parents[i]];
    out[turns[i].number] = turns[left_for[i]].number;
  }
  return out;
}

namespace {

// Whether the branches that begin with the turns `a` and `b` went on side by side. `branch`: the branch of each turn.
bool are_parallel(std::span<const Turn> turns, std::span<const std::size_t> branch, std::size_t a, std::size_t b) {
  constexpr int kAlternations = 3;  // the first is the fork, the second may be a return
  int alternations = 0;
  std::size_t newest = a;
  std::int64_t said_in_a = -1;
  std::int64_t said_in_b = -1;
  for (std::size_t i = a; i < turns.size(); ++i) {
    if (branch[i] != a && branch[i] != b) continue;
    const bool in_a = branch[i] == a;
    if ((in_a ? said_in_b : said_in_a) > turns[i].first_seq) return true;
    std::int64_t& said = in_a ? said_in_a : said_in_b;
    said = std::max(said, turns[i].last_said);
    if (branch[i] != newest && ++alternations == kAlternations) return true;
    newest = branch[i];
  }
  return false;
}

}  // namespace

std::set<std::int64_t> parallel_turns(std::span<const Turn> turns) {
  const std::vector<std::size_t> parents = parents_of(turns);
  std::map<std::size_t, std::vector<std::size_t>> children;
  for (std::size_t i = 0; i < turns.size(); ++i)
    children[parents[i]].push_back(i);
  std::set<std::int64_t> out;
  for (const auto& [fork, begins] : children) {
    if (begins.size() < 2) continue;
    std::vector<std::size_t> branch(turns.size(), kNoTurn);
    for (std::size_t i = begins.front(); i < turns.size(); ++i)
      branch[i] = parents[i] == fork ? i : parents[i] == kNoTurn ? kNoTurn : branch[parents[i]];
    for (const std::size_t a : begins)
      for (const std::size_t b : begins) {
        if (a >= b || !are_parallel(turns, branch, a, b)) continue;
        for (std::size_t i = a; i < turns.size(); ++i)
          if (branch[i] == a || branch[i] == b) out.insert(turns[i].number);
      }
  }
  return out;
}

// Sets where the model last went on with each turn, and moves the parent of each to the turn that it belongs to: while
// two processes write, the events of a turn lie between those of another.
void Branches::place(const SessionWork& s, std::vector<Turn>& turns) {
  std::vector<std::size_t> owner(static_cast<std::size_t>(s.next_seq), kNoTurn);
  auto& q = db_.prepare(
      sql_text("SELECT seq, parent_seq, kind IN (EventKind::assistant_msg, EventKind::tool_call) FROM events"
               " WHERE session_pk = ? AND seq < ? ORDER BY seq"));
  std::size_t at = kNoTurn;  // the turn that began last
  for (q.bind(s.pk, s.next_seq); q.step();) {
    const auto seq = static_cast<std::size_t>(q.int64(0));
    const std::size_t next = at == kNoTurn ? 0 : at + 1;
    const bool begins = next < turns.size() && turns[next].first_seq <= q.int64(0);
    if (begins) at = next;
    const bool has_earlier = !q.is_null(1) && q.int64(1) >= 0 && q.int64(1) < q.int64(0);
    const std::size_t parent = has_earlier ? owner[static_cast<std::size_t>(q.int64(1))] : kNoTurn;
    owner[seq] = begins || parent == kNoTurn ? at : parent;
    if (owner[seq] == kNoTurn) continue;
    if (begins && parent != kNoTurn) turns[at].parent_seq = turns[parent].first_seq;
    if (q.int64(2) != 0) turns[owner[seq]].last_said = q.int64(0);
  }
}

// Includes the turn that the session will begin next if it has gone back.
std::vector<Turn> Branches::turns_of(const SessionWork& s) {
  events_.write();
  std::vector<Turn> turns;
  const auto take = [&turns](const sqlite::Statement& q) {
    Turn& turn = turns.emplace_back(Turn{q.int64(0), q.int64(1), {}});
    if (!q.is_null(2)) turn.parent_seq = q.int64(2);
  };
  auto& exchanges = db_.query(
      "SELECT x.exchange_number, x.first_seq, e.parent_seq FROM exchanges x JOIN events e"
      " ON e.session_pk = x.session_pk AND e.seq = x.first_seq"
      " WHERE x.session_pk = ? AND x.exchange_number < ? ORDER BY x.exchange_number",
      s.pk, s.has_draft ? s.draft.number : s.next_exchange);
  while (exchanges.step())
    take(exchanges);
  if (s.has_draft) {
    auto& draft = db_.prepare("SELECT ?3, seq, parent_seq FROM events WHERE session_pk = ?1 AND seq = ?2");
    if (const auto row = draft.bind(s.pk, s.draft.first_seq, s.draft.number).row()) take(draft);
  }
  place(s, turns);
  turns.push_back({s.next_exchange, s.next_seq, {}});

  // After a reported rollback, the next turn follows the place that it names.
  auto& back = db_.query(
      sql_text("SELECT seq, coalesce(parent_seq, -1) FROM events WHERE session_pk = ? AND kind = EventKind::lifecycle"
               " AND summary GLOB 'rollback*' AND (parent_seq IS NOT NULL OR flags & kFlagRoot) ORDER BY seq"),
      s.pk);
  while (back.step()) {
    const auto next =
        std::find_if(turns.begin(), turns.end(), [&](const Turn& t) { return t.first_seq > back.int64(0); });
    if (next != turns.end()) next->parent_seq = back.int64(1);
  }
  if (!turns.back().parent_seq) turns.pop_back();
  return turns;
}

EventParent Branches::before_last(const SessionWork& s, std::int64_t count) {
  std::vector<Turn> turns = turns_of(s);
  if (turns.empty()) return {};
  if (turns.back().number != s.next_exchange) turns.push_back({s.next_exchange, s.next_seq, {}});
  const auto parents = parents_of(turns);
  std::size_t at = parents.back();
  for (; count > 0 && at != kNoTurn; --count)
    at = parents[at];
  const std::int64_t last = turns[at == kNoTurn ? 0 : at + 1].first_seq - 1;
  return last < 0 ? EventParent{std::nullopt, true} : EventParent{last, false};
}

// For exchanges whose events were evicted, only the stored entries are kept.
void Branches::settle(const SessionWork& s) {
  const std::vector<Turn> turns = turns_of(s);
  if (turns.empty()) return;
  auto abandoned = abandoned_turns(turns);
  for (const std::int64_t number : parallel_turns(turns))
    abandoned.erase(number);
  const auto before = stored(s.pk);
  abandoned.insert(before.begin(), before.lower_bound(turns.front().number));
  if (before == abandoned) return;
  db_.run("DELETE FROM abandoned_exchanges WHERE session_pk = ?", s.pk);
  auto& q =
      db_.prepare("INSERT INTO abandoned_exchanges (session_pk, exchange_number, abandoned_for) VALUES (?, ?, ?)");
  for (const auto& [number, instead] : abandoned)
    q.bind(s.pk, number, instead).run();
}

std::map<std::int64_t, std::int64_t> Branches::stored(std::int64_t session_pk) {
  auto& q =
      db_.query("SELECT exchange_number, abandoned_for FROM abandoned_exchanges WHERE session_pk = ?", session_pk);
  std::map<std::int64_t, std::int64_t> out;
  while (q.step())
    out[q.int64(0)] = q.int64(1);
  return out;
}

}  // namespace memd::assembly

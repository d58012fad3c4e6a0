#include "store/assembly/copied_prefix.hpp"

#include "schemas/hash.hpp"

#include <limits>
#include <utility>

namespace memd::assembly {
namespace {

constexpr int kLongestChain = 16;

std::uint64_t fact_of(std::int64_t kind, std::uint64_t content) {
  return hash_combine(static_cast<std::uint64_t>(kind), content);
}

}  // namespace

std::uint64_t content_hash(const Event& e) {
  const bool words = e.kind == EventKind::user_msg || e.kind == EventKind::human_intervention;
  return words ? hash64(e.text) : e.input_hash;
}

void CopiedPrefix::add_facts(std::int64_t session_pk, TimeMs until, Facts& out) {
  auto& q =
      db_.prepare("SELECT kind, input_hash FROM events WHERE session_pk = ? AND input_hash IS NOT NULL AND time <= ?");
  q.bind(session_pk, until);
  while (q.step())
    out.insert(fact_of(q.int64(0), from_sql(q.int64(1))));
  q.reset();
}

const CopiedPrefix::Facts& CopiedPrefix::facts_of_origins(const SessionWork& fork) {
  if (const auto it = origins_.find(fork.uid); it != origins_.end()) return it->second;
  Facts facts;
  std::string uid = fork.forked_from.empty() ? fork.parent_uid : fork.forked_from;
  for (int step = 0; step < kLongestChain && !uid.empty() && uid != fork.uid; ++step) {
    auto& q = db_.prepare("SELECT session_pk, forked_from, parent_uid FROM sessions WHERE uid = ?");
    q.bind(uid);
    if (!q.step()) {
      q.reset();
      break;
    }
    const std::int64_t pk = q.int64(0);
    std::string next = q.str(1).empty() ? q.str(2) : q.str(1);
    q.reset();
    add_facts(pk, std::numeric_limits<TimeMs>::max(), facts);
    uid = std::move(next);
  }
  return origins_.emplace(fork.uid, std::move(facts)).first->second;
}

const std::vector<CopiedPrefix::Fork>& CopiedPrefix::forks_of(const SessionWork& origin) {
  if (const auto it = forks_.find(origin.uid); it != forks_.end()) return it->second;
  std::vector<std::pair<std::int64_t, TimeMs>> found;
  auto& q = db_.prepare(
      "SELECT session_pk, started_at FROM sessions WHERE (forked_from = ?1 OR (forked_from = '' AND parent_uid = ?1))"
      " AND started_at <> 0");
  q.bind(origin.uid);
  while (q.step())
    found.emplace_back(q.int64(0), q.int64(1));
  q.reset();
  std::vector<Fork> forks;
  for (const auto& [pk, started_at] : found) {
    Fork fork{started_at, {}};
    add_facts(pk, started_at + kCopySeconds, fork.facts);
    forks.push_back(std::move(fork));
  }
  return forks_.emplace(origin.uid, std::move(forks)).first->second;
}

bool CopiedPrefix::is_copy(const SessionWork& s, const Event& e) {
  if (!e.id_is_local) return false;
  const std::uint64_t content = content_hash(e);
  if (content == 0) return false;
  const std::uint64_t fact = fact_of(static_cast<std::int64_t>(e.kind), content);
  const bool has_origin = !s.forked_from.empty() || !s.parent_uid.empty();
  if (has_origin && s.started_at != 0 && e.time <= s.started_at + kCopySeconds && facts_of_origins(s).contains(fact))
    return true;
  for (const Fork& fork : forks_of(s))
    if (e.time < fork.started_at && fork.facts.contains(fact)) return true;
  return false;
}

void CopiedPrefix::clear() {
  origins_.clear();
  forks_.clear();
}

}  // namespace memd::assembly

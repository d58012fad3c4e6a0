#include "store/write/copied_prefix.hpp"

#include "schemas/hash.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace memd::assembly {
namespace {

constexpr int kLongestChain = 16;
constexpr std::size_t kMostForks = 256;

std::uint64_t fact_of(std::int64_t kind, std::uint64_t content) {
  return hash_combine(static_cast<std::uint64_t>(kind), content);
}

}  // namespace

void CopiedPrefix::add_facts(std::int64_t session_pk, TimeMs until, Facts& out) {
  events_.write();
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
  // A fork of a fork repeats what the first repeated, and may have been read before both.
  struct Descendant {
    std::int64_t pk = 0;
    std::string uid;
    TimeMs started_at = 0;
    TimeMs parted_at = 0;  // from the origin
  };
  std::vector<Descendant> found{{0, origin.uid, 0, std::numeric_limits<TimeMs>::max()}};
  for (std::size_t i = 0; i < found.size() && i < kMostForks; ++i) {
    auto& q = db_.prepare(
        "SELECT session_pk, uid, started_at FROM sessions WHERE started_at <> 0"
        " AND (forked_from = ?1 OR (forked_from = '' AND parent_uid = ?1))");
    const std::string uid = found[i].uid;
    q.bind(uid);
    while (q.step())
      found.push_back({q.int64(0), q.str(1), q.int64(2), std::min(found[i].parted_at, q.int64(2))});
    q.reset();
  }
  std::vector<Fork> forks;
  for (std::size_t i = 1; i < found.size(); ++i) {
    Fork fork{found[i].parted_at, {}};
    add_facts(found[i].pk, found[i].started_at + kCopySeconds, fork.facts);
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
    if (e.time < fork.parted_at && fork.facts.contains(fact)) return true;
  return false;
}

void CopiedPrefix::clear() {
  origins_.clear();
  forks_.clear();
}

}  // namespace memd::assembly

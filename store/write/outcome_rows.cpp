#include "store/write/outcome_rows.hpp"

#include "store/insight/outcome.hpp"
#include "store/read/outcome_signs.hpp"

#include <vector>

namespace memd::assembly {
namespace {

std::vector<std::int64_t> keys(sqlite::Statement& q) {
  std::vector<std::int64_t> out;
  while (q.step())
    out.push_back(q.int64(0));
  q.reset();
  return out;
}

}  // namespace

void store_outcome(sqlite::Database& db, std::int64_t session_pk) {
  const OutcomeSigns end = OutcomeSignsQuery{session_pk}.run(db);
  const JudgedOutcome judged = judge_outcome(end);
  const bool has_rows = end.last != OutcomeSigns::Last::nothing;
  db.prepare(
        "UPDATE sessions SET outcome = ?2, outcome_signs = ?3 WHERE session_pk = ?1 AND (?4 OR evicted_at IS NULL)")
      .bind(session_pk, static_cast<int>(judged.value), judged.signs().bits(), has_rows)
      .run();
}

void store_outcomes_of_subagents(sqlite::Database& db, std::int64_t parent_pk) {
  auto& q = db.prepare(
                  "SELECT c.session_pk FROM sessions c JOIN sessions p ON p.uid = c.parent_uid WHERE p.session_pk = ?1"
                  " AND c.parent_uid <> '' AND c.parent_call_id <> '' AND c.outcome_signs & ?2")
                .bind(parent_pk, OutcomeSignSet(OutcomeSign::broken_off).bits());
  for (const std::int64_t pk : keys(q))
    store_outcome(db, pk);
}

}  // namespace memd::assembly

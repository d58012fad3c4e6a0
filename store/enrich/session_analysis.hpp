#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/session.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// The stage after ingest: derives facts of a stopped session that outlive its events.
namespace memd {

// The state of a session when its analysis began. The result is discarded if the session has changed when it is
// written.
struct SessionVersion {
  std::int64_t session_pk = 0;
  std::int64_t next_seq = 0;
  TimeMs ingested_at = 0;
};

struct AnalysisBacklog {
  std::vector<SessionVersion> due;  // at most `limit`, ordered by the time of stopping
  std::optional<TimeMs> next;       // when the next session will count as stopped, unless it goes on
};

// Returns stopped sessions that this version of the analysis has not analysed in their current state. Skips evicted
// sessions and records of another memd without events, which cannot be analysed.
struct AnalysisBacklogQuery {
  TimeMs now = 0;
  TimeMs stopped_after = kStoppedAfter;
  int limit = 10'000;  // each query reads and sorts all waiting sessions

  using Answer = AnalysisBacklog;
  Answer run(sqlite::Database& db) const;
};

// Builds the digest of a session from its rows. nullopt if it has no exchanges: the stored digest stays.
struct MakeDigestQuery {
  std::int64_t session_pk = 0;

  using Answer = std::optional<KeptDigest>;
  Answer run(sqlite::Database& db) const;
};

// For the writer, inside a transaction. Functions throw ErrorException.
namespace analysis {

// Increment when the analysis changes: every session is then analysed again.
inline constexpr std::int64_t kVersion = 4;

void save_digest(sqlite::Database& db, std::int64_t session_pk, const KeptDigest& digest);

// Judges how a session ended and stores it in its row (`outcome`, `outcome_signs`). An evicted session keeps its
// earlier outcome, because its rows are gone.
void store_outcome(sqlite::Database& db, std::int64_t session_pk);
// Judges waiting subagents again, because the report of a subagent is in the session that started it.
void store_outcomes_of_subagents(sqlite::Database& db, std::int64_t parent_pk);

// Returns false if the session has changed since; it then waits again.
bool mark_analyzed(sqlite::Database& db, const SessionVersion& version, TimeMs now);

}  // namespace analysis
}  // namespace memd

#pragma once

#include "schemas/event.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// The stage behind ingestion: what is concluded of a session once it has stopped, and outlives its events.
namespace memd {

// A session as it stood when its analysis began. The analysis counts only if it still stands so when it is written.
struct SessionVersion {
  std::int64_t session_pk = 0;
  std::int64_t next_seq = 0;
  TimeMs ingested_at = 0;
};

struct AnalysisBacklog {
  std::vector<SessionVersion> due;  // at most `limit`, the first to stop first
  std::optional<TimeMs> next;       // when the next session will have stopped, unless it goes on
};

// Sessions that have stopped and that this version of the analysis has not analysed as they stand. Where nothing is
// there to analyse they are left out: evicted sessions, and conclusions of another memd without events.
struct AnalysisBacklogQuery {
  TimeMs now = 0;
  TimeMs stopped_after = kStoppedAfter;
  int limit = 10'000;  // each question reads and sorts all that wait

  using Answer = AnalysisBacklog;
  Answer run(sqlite::Database& db) const;
};

// The digest of a session, made from its rows. Nothing where it has no exchanges: what is known of it stays.
struct MakeDigestQuery {
  std::int64_t session_pk = 0;

  using Answer = std::optional<KeptDigest>;
  Answer run(sqlite::Database& db) const;
};

// For the writer, inside a transaction. Functions throw ErrorException.
namespace analysis {

// Raise it when the analysis changes: every session is then analysed again.
inline constexpr std::int64_t kVersion = 3;

void save_digest(sqlite::Database& db, std::int64_t session_pk, const KeptDigest& digest);

// Judges how a session ended, and stores it in its row (`outcome`, `outcome_signs`). What an evicted session was judged
// before stays: its rows are gone.
void store_outcome(sqlite::Database& db, std::int64_t session_pk);
// The report of a subagent stands in the session that started it. Judges those anew that wait for one.
void store_outcomes_of_subagents(sqlite::Database& db, std::int64_t parent_pk);

// False: the session went on since, and waits again.
bool mark_analyzed(sqlite::Database& db, const SessionVersion& version, TimeMs now);

}  // namespace analysis
}  // namespace memd

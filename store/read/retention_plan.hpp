#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/session_row.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Limits on stored history. 0: no limit.
struct RetentionPolicy {
  int max_age_days = 0;
  std::uint64_t max_raw_bytes = 0;
  bool is_set() const { return max_age_days > 0 || max_raw_bytes > 0; }
};

// A session that is due to be evicted. Its own uid is the first member; members already evicted are left out. The
// exchanges keep their first lines; events are counted only if the query requests it.
struct PlannedEviction : PlannedRemoval {
  TimeMs due_at = 0;   // when the limit is reached; from then on the user may evict it
  TimeMs goes_at = 0;  // when the daemon evicts it: not before the notice period has passed
};

struct RetentionPlan {
  std::vector<PlannedEviction> drops;  // in the order of eviction
  std::int64_t exchanges = 0;          // exchanges of the whole history that still have their texts
  bool is_large = false;               // the drops due now exceed 1 / kLargeShareDivisor of `exchanges`
  std::int64_t waiting = 0;            // sessions over the limit that stay because they are not analysed yet
};

// Notice period. A limit evicts nothing for this long after it was set. The daemon evicts more than 1 /
// kLargeShareDivisor of the history at once only if that was announced for this long.
inline constexpr TimeMs kRetentionNotice = 7 * kMsPerDay;
inline constexpr std::int64_t kLargeShareDivisor = 10;  // the reciprocal of the share: a tenth

namespace retention {

// Condition on sessions: analysed in their current state, and not evicted since.
inline constexpr std::string_view kEvictableCondition =
    "analysis_version > 0 AND (evicted_at IS NULL OR evicted_at < ingested_at)";

// Keys in `meta`: since when this policy applies, since when more is due than the daemon evicts unannounced, and when
// it last evicted what was due.
std::string policy_key(const RetentionPolicy& policy);
inline constexpr std::string_view kPolicyKeys = "retention_policy:";
inline constexpr std::string_view kLargeKey = "retention_large";
inline constexpr std::string_view kLastPassKey = "retention_last_pass";
TimeMs time_of(sqlite::Database& db, std::string_view key, TimeMs otherwise);

// Returns the sessions due before `until`. The size limit takes the oldest sessions first. Includes a session only if
// it and all its subagents are analysed. Throws ErrorException.
RetentionPlan plan(sqlite::Database& db, const RetentionPolicy& policy, TimeMs now, TimeMs until);

// Compressed bytes in the raw layer, by the session's uid.
using BytesBySession = std::map<std::string, std::uint64_t, std::less<>>;
BytesBySession raw_bytes_by_session(sqlite::Database& db);

// Returns the number of events of the drop's members.
std::int64_t count_events(sqlite::Database& db, const PlannedEviction& drop);

}  // namespace retention

// Plans the evictions under a policy before `until`: see retention::plan().
struct RetentionPlanQuery {
  RetentionPolicy policy;
  TimeMs now = 0;
  TimeMs until = 0;
  bool count_events = false;

  using Answer = RetentionPlan;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

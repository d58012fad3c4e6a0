#pragma once

#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// What is dropped when. 0: no limit.
struct RetentionPolicy {
  int max_age_days = 0;
  std::uint64_t max_raw_bytes = 0;
  bool is_set() const { return max_age_days > 0 || max_raw_bytes > 0; }
};

// A main session that is due to be evicted with its subagents.
struct PlannedDrop {
  std::string session_uid;
  std::string title;
  std::vector<std::string> members;  // uids, its own first; those that are evicted already left out
  TimeMs ended_at = 0;
  TimeMs due_at = 0;            // when the limit makes it so; from then on a person may have it dropped
  TimeMs goes_at = 0;           // when the daemon drops it: not before its notice has stood long enough
  std::int64_t exchanges = 0;   // that keep their first lines only
  std::int64_t events = 0;      // counted where the question asks for it
  std::uint64_t raw_bytes = 0;  // in the raw layer
  std::string reason;
};

struct RetentionPlan {
  std::vector<PlannedDrop> drops;  // the first to go first
  std::int64_t exchanges = 0;      // of the whole history that still have their texts
  bool is_large = false;           // what is due now is more than kLargeShare of them
  std::int64_t waiting = 0;        // sessions over the limit that are not analysed yet: they stay until they are
};

// A limit drops nothing for so long after it was set; nor does the daemon drop more than a share of the history at once
// that was not announced for so long.
inline constexpr TimeMs kRetentionNotice = 7 * kMsPerDay;
inline constexpr std::int64_t kLargeShare = 10;  // a tenth

namespace retention {

// A condition on sessions: analysed as they stand, and not evicted since.
inline constexpr std::string_view kMayBeEvicted =
    "analysis_version > 0 AND (evicted_at IS NULL OR evicted_at < ingested_at)";

// Keys in `meta`: since when this policy is in force, since when more is due than the daemon drops unannounced, and
// when it last dropped what was due.
std::string policy_key(const RetentionPolicy& policy);
inline constexpr std::string_view kPolicyKeys = "retention_policy:";
inline constexpr std::string_view kLargeKey = "retention_large";
inline constexpr std::string_view kLastPassKey = "retention_last_pass";
TimeMs time_of(sqlite::Database& db, std::string_view key, TimeMs otherwise);

// What is due before `until`. For size, the oldest sessions are due first. Only sessions that are analysed, all their
// subagents included. Throws ErrorException.
RetentionPlan plan(sqlite::Database& db, const RetentionPolicy& policy, TimeMs now, TimeMs until);

// Events of the drop's members.
std::int64_t count_events(sqlite::Database& db, const PlannedDrop& drop);

}  // namespace retention

// What goes under a policy before `until`: see retention::plan().
struct RetentionPlanQuery {
  RetentionPolicy policy;
  TimeMs now = 0;
  TimeMs until = 0;
  bool count_events = false;

  using Answer = RetentionPlan;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

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

// A main session that is due to be dropped with its subagents.
struct PlannedDrop {
  std::string session_uid;
  std::string title;
  std::vector<std::string> members;  // uids, its own included
  TimeMs ended_at = 0;
  TimeMs due_at = 0;
  std::uint64_t raw_bytes = 0;  // in the raw layer
  std::string reason;
};

// A new age limit drops nothing for so long, however overdue sessions are.
inline constexpr TimeMs kRetentionNotice = 7 * kMsPerDay;

namespace retention {

// The key in `meta` that remembers since when this age limit is in force.
std::string announcement_key(const RetentionPolicy& policy);

// What is due before `until`, the earliest first. For size, the oldest sessions are due first. Only sessions that are
// analysed, all their subagents included. An age limit counts from its announcement (see
// store/write/retention.hpp). Throws ErrorException.
std::vector<PlannedDrop> plan(sqlite::Database& db, const RetentionPolicy& policy, TimeMs now, TimeMs until);

}  // namespace retention

// What goes under a policy before `until`: see retention::plan().
struct PlannedDropsQuery {
  RetentionPolicy policy;
  TimeMs now = 0;
  TimeMs until = 0;

  using Answer = std::vector<PlannedDrop>;
  Answer run(sqlite::Database& db) const { return retention::plan(db, policy, now, until); }
};

}  // namespace memd

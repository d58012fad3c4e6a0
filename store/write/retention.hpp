#pragma once

#include "schemas/error.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"
#include "store/read/retention_plan.hpp"
#include "store/write/evicted_rows.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

class Writer;

namespace retention {

// Frees the texts and events of a session: see keep_first_lines(). Its row gets evicted_at; its sources keep their
// cursors, and in the ledger bytes that were indexed become skipped with the reason kEvictedReason. Nothing when there
// is no such session, it is not analysed as it stands, or nothing is new in it since it was evicted. Inside a
// transaction. Throws ErrorException, as the next one does.
std::optional<Freed> evict(sqlite::Database& db, std::string_view session_uid, TimeMs now);
inline constexpr std::string_view kEvictedReason = "evicted";

// Forgets a session for `reason`, its row included: it is as if it had never been taken in. Inside a transaction.
bool remove(sqlite::Database& db, std::string_view session_uid, std::string_view reason);

}  // namespace retention

// Drops sessions by the rules of a policy. Uses the writer's connection on the writer's thread, and commits what waits
// there first; owns nothing.
class Retention {
 public:
  explicit Retention(Writer& writer) : writer_(writer) {}

  struct Dropped {
    std::uint64_t sessions = 0;
    std::uint64_t exchanges = 0;  // that keep their first lines
    std::uint64_t events = 0;
    std::uint64_t raw_bytes = 0;  // of the frames that went
  };
  // False: the eviction ends before the next session. The rest goes the next time.
  using GoOn = std::function<bool()>;

  // Notes since when the policy is in force; with none, that none is.
  Result<void> announce(const RetentionPolicy& policy);
  // For the daemon: announces what is due, and drops what was announced long enough (PlannedDrop::goes_at).
  Result<Dropped> enforce(const RetentionPolicy& policy, const GoOn& go_on = {});
  TimeMs last_pass();  // of enforce(); 0: never
  // For a person who has seen the plan: drops what is due now, announced or not.
  Result<Dropped> drop_due(const RetentionPolicy& policy);
  Result<Dropped> evict(const std::vector<std::string>& session_uids, const GoOn& go_on = {});
  // Cuts the records of evicted sessions out of the raw layer, where that did not come to its end. Returns the bytes of
  // their frames. Throws ErrorException.
  std::uint64_t cut_records();
  // Puts the rows of evicted sessions back from their records, into a store that is still empty. Keys of exchanges that
  // come after them are those that these leave free.
  Result<void> restore(const std::vector<std::string>& records);

 private:
  Writer& writer_;
};

}  // namespace memd

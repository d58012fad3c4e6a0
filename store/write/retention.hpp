#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
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

// Deletes the texts and events of a session; see keep_first_lines(). Its row gets evicted_at, its sources keep their
// cursors, and its indexed bytes in the ledger become skipped with the reason kEvictedReason. Returns nullopt when
// there is no such session, its current state is not analysed, or it has nothing new since its last eviction. Call
// inside a transaction. Throws ErrorException, as does remove().
std::optional<Freed> evict(sqlite::Database& db, std::string_view session_uid, TimeMs now);
inline constexpr std::string_view kEvictedReason = "evicted";

// Deletes a session with its row, as if it had never been stored. The ledger records `reason`. Call inside a
// transaction.
bool remove(sqlite::Database& db, std::string_view session_uid, std::string_view reason);

}  // namespace retention

// Evicts sessions by the rules of a policy. Uses the writer's connection on the writer's thread, and commits its open
// transaction first; owns nothing.
class Retention {
 public:
  explicit Retention(Writer& writer) : writer_(writer) {}

  struct Dropped {
    std::uint64_t sessions = 0;
    std::uint64_t exchanges = 0;  // exchanges that keep their first lines
    std::uint64_t events = 0;
    std::uint64_t raw_bytes = 0;  // bytes of deleted frames
  };
  // False: the eviction stops before the next session and continues at the next pass.
  using GoOn = std::function<bool()>;

  // Records when the policy came into force. For an empty policy, records that none is in force.
  Result<void> announce(const RetentionPolicy& policy);
  // For the daemon: announces what is due, and evicts what was announced long enough ago (PlannedEviction::goes_at).
  Result<Dropped> enforce(const RetentionPolicy& policy, const GoOn& go_on = {});
  TimeMs last_pass();  // time of the last enforce(); 0: never
  // Evicts everything that is due now, announced or not. Called after the user has seen the plan.
  Result<Dropped> drop_due(const RetentionPolicy& policy);
  Result<Dropped> evict(const std::vector<std::string>& session_uids, const GoOn& go_on = {});
  // Deletes the records of evicted sessions from the raw layer where an eviction was interrupted. Returns the bytes of
  // their frames. Throws ErrorException.
  std::uint64_t cut_records();
  // Restores the rows of evicted sessions from their records into an empty store. Exchanges added later get the keys
  // that these leave free.
  Result<void> restore(const std::vector<std::string>& records);

 private:
  Writer& writer_;
};

}  // namespace memd

#pragma once

#include "schemas/error.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"
#include "store/read/retention_plan.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

class Writer;

namespace retention {

// Forgets what a session said and did: events, exchanges with their full text, files, observations and what is derived
// from them. The session's row and its digest stay, with evicted_at; so do its sources with their cursors. In the
// ledger, bytes that were indexed become skipped with the reason kEvictedReason. False when there is no such session,
// or it is not analysed as it stands.
// Inside a transaction. Throws ErrorException, as the next ones do.
bool evict(sqlite::Database& db, std::string_view session_uid, TimeMs now);
inline constexpr std::string_view kEvictedReason = "evicted";

// Forgets a session for `reason`, its row included: it is as if it had never been taken in. Inside a transaction.
bool remove(sqlite::Database& db, std::string_view session_uid, std::string_view reason);

// What must outlive an evicted session in the raw layer, so that a rebuild forgets it too.
std::string record_of(sqlite::Database& db, std::string_view session_uid);

}  // namespace retention

// Drops sessions by the rules of a policy. Uses the writer's connection on the writer's thread, and commits what waits
// there first; owns nothing.
class Retention {
 public:
  explicit Retention(Writer& writer) : writer_(writer) {}

  struct Dropped {
    std::uint64_t sessions = 0;
    std::uint64_t raw_bytes = 0;
  };
  // Announces the policy, then drops what is due. `at_once`: does not wait for the notice.
  Result<Dropped> enforce(const RetentionPolicy& policy, bool at_once);
  Result<Dropped> evict(const std::vector<std::string>& session_uids);
  // Puts the row of an evicted session back from its record (retention::record_of).
  Result<void> restore(std::string_view record);

 private:
  Writer& writer_;
};

}  // namespace memd

#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <map>
#include <string>
#include <string_view>

namespace memd::retention {

// Forgets what a session said and did: events, exchanges with their full text, files, observations and what is derived
// from them. The session's row stays, with evicted_at; so do its sources with their cursors. In the ledger, bytes that
// were indexed become skipped with the reason "evicted". Returns false when there is no such session.
// Inside a transaction. Throws ErrorException.
bool evict(sqlite::Database& db, std::string_view session_uid, TimeMs now);

// Likewise, but for `reason`, and the session's row goes too: it is as if it had never been taken in.
bool remove(sqlite::Database& db, std::string_view session_uid, std::string_view reason);

// What must outlive the session in the raw layer, so that a rebuild forgets it too; and back.
std::string record_of(sqlite::Database& db, std::string_view session_uid);
void restore(sqlite::Database& db, std::string_view record);

// The sessions that were evicted, and what of them is not taken in again.
class EvictedSessions {
 public:
  void load(sqlite::Database& db);
  bool empty() const { return through_.empty(); }
  // Takes out of a slice the events that were evicted once, and says so in its ledger.
  void filter(SourceSlice& slice) const;

 private:
  std::map<std::string, TimeMs, std::less<>> through_;
};

inline constexpr std::string_view kEvictedReason = "evicted";

}  // namespace memd::retention

#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace memd::assembly {
class Assembler;
}

// What stands in the sources and is not taken in. The ledger says why.
namespace memd::ingestion {

// The sessions that were evicted: what was evicted once is not taken in again. Writer thread only. Throws
// ErrorException.
class EvictedSessions {
 public:
  void load(sqlite::Database& db);  // also after an eviction
  // A rebuild has evicted sessions from its start: what was taken in before the eviction (`now` is when) leaves them as
  // they are, and stands in the ledgers of sources of many sessions as it stood then.
  void take_out_of(SourceSlice& slice, TimeMs now) const;

 private:
  struct Eviction {
    TimeMs through = 0;  // the end of what was evicted
    TimeMs at = 0;
  };
  std::map<std::string, Eviction, std::less<>> evictions_;  // by uid
};

// Sessions that memd's own requests caused: their first prompt, or a parent's, begins with kOwnRequestMark
// (schemas/language_model.hpp). They are no history. Writer thread only, inside the writer's transaction. Throws
// ErrorException.
class OwnSessions {
 public:
  OwnSessions(sqlite::Database& db, assembly::Assembler& assembler) : db_(db), assembler_(assembler) {}

  void load();  // also after a rollback
  // Takes them out of a slice, and out of the store if it had one already (from before its first prompt). True: the
  // whole slice is of such a session. Its records must not be kept either: they hold texts of other sessions.
  bool leave_out_of(SourceSlice& slice, TimeMs now);

 private:
  void find_in(const SourceSlice& slice, TimeMs now);
  bool has_prompt(std::string_view uid, TimeMs now);
  void add(const std::string& uid, TimeMs now);

  sqlite::Database& db_;
  assembly::Assembler& assembler_;
  std::set<std::string, std::less<>> uids_;
};

inline constexpr std::string_view kOwnReason = "caused by memd";

}  // namespace memd::ingestion

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
  void take_out_of(SourceSlice& slice) const;

 private:
  std::map<std::string, TimeMs, std::less<>> through_;  // uid: the end of what was evicted
};

// Sessions that memd's own requests caused: their first prompt begins with the mark of schemas/own_request.hpp, or a
// parent's did. They are no history: nothing of them is taken in, and the ledger says why. Writer thread only; inside
// its transaction. Throws ErrorException.
class OwnSessions {
 public:
  OwnSessions(sqlite::Database& db, assembly::Assembler& assembler) : db_(db), assembler_(assembler) {}

  void load();  // also after a rollback
  // Takes them out of a slice; what the store already had of one (it was seen before its first prompt) goes. True: the
  // whole slice is of such a session, and its records are not to be kept either, for they hold texts of other sessions.
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

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

// Filters for parts of the sources that are not stored. The ledger records the reason.
namespace memd::ingestion {

// The evicted sessions. Content that was evicted once is not stored again. Writer thread only. Throws ErrorException.
class EvictedSessions {
 public:
  void load(sqlite::Database& db);  // call again after an eviction
  // Drops evicted content from the slice. `now` is the time at which the slice is, or in a rebuild was, applied. Only a
  // slice applied after the eviction is marked as skipped in the ledger; an earlier one leaves its sessions and ledger
  // as they were.
  void take_out_of(SourceSlice& slice, TimeMs now) const;

 private:
  struct Eviction {
    TimeMs through = 0;  // end time of the evicted content
    TimeMs at = 0;
  };
  std::map<std::string, Eviction, std::less<>> evictions_;  // by uid
};

// Sessions caused by memd's own requests: their first prompt, or that of a parent, begins with kOwnRequestMark
// (schemas/language_model.hpp). They are not history. Writer thread only, inside the writer's transaction. Throws
// ErrorException.
class OwnSessions {
 public:
  OwnSessions(sqlite::Database& db, assembly::Assembler& assembler) : db_(db), assembler_(assembler) {}

  void load();  // call again after a rollback
  // Removes such sessions from a slice, and from the store if it already has them (read before their first prompt).
  // Returns true if the whole slice belongs to one. Its records must not be kept either, because they contain texts of
  // other sessions.
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

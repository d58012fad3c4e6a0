#pragma once

#include "schemas/source.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace memd::assembly {
class Assembler;
}

namespace memd::ingestion {

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

#pragma once

#include "schemas/session.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace memd::assembly {

struct PendingTitle {
  std::string title;
  TitleRank rank = TitleRank::none;
};

// Titles that point at a record which is not in the store yet (rows of `pending_titles`): Claude Code writes the title
// of one session into the file of another. Writer thread only. Throws ErrorException.
class TitleLedger {
 public:
  explicit TitleLedger(sqlite::Database& db) : db_(db) {}

  void wait_for(std::uint64_t record_key, std::string_view title, TitleRank rank);
  // The title waiting for this event, if any; asked for every event, so it must be cheap.
  std::optional<PendingTitle> take(std::uint64_t event_id);
  void forget() { loaded_ = false; }

 private:
  void load();

  sqlite::Database& db_;
  std::unordered_map<std::uint64_t, PendingTitle> waiting_;
  bool loaded_ = false;
};

}  // namespace memd::assembly

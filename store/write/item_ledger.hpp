#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace memd::assembly {

// The items of sources that are changed in place (rows of `source_items`), and the ledger (`coverage`) kept in step
// with them: an item has its line there while the source shows it. Writer thread only. Throws ErrorException.
class ItemLedger {
 public:
  explicit ItemLedger(sqlite::Database& db) : db_(db) {}

  std::uint32_t count(SourceId source, std::string_view session_uid);  // the head not counted
  void truncate(SourceId source, std::string_view session_uid, std::uint32_t keep);
  // Replaces what has that number; 0 is the head.
  void put(SourceId source, std::string_view session_uid, std::uint32_t number, const SourceItem& item);
  void mark_gone(SourceId source, std::string_view session_uid, std::uint32_t number);
  void set_totals(SourceId source, std::span<const CoverageEntry> lines);
  // To be called after changes; gives the bytes the ledger accounts for.
  std::uint64_t settle(SourceId source);

  // Has a source read again: a log from its start, an in-place one for what it gave of the session behind the last
  // event that is left.
  void set_back(SourceId source, std::string_view session_uid);

 private:
  void subtract(SourceId source, std::string_view session_uid, std::uint32_t first, std::uint32_t last);

  sqlite::Database& db_;
};

}  // namespace memd::assembly

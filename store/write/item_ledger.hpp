#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace memd::assembly {

class Assembler;

// Keeps the items of sources that are changed in place (rows of `source_items`) in step with the ledger (`coverage`):
// an item is counted there as long as the source contains it. Writer thread only; owns nothing. Throws ErrorException.
class ItemLedger {
 public:
  ItemLedger(sqlite::Database& db, Assembler& assembler) : db_(db), assembler_(assembler) {}

  // Returns whether the items before those of the slice are stored. If not, take_back() throws.
  bool follows(const SourceSlice& slice);
  // Call before the slice's events are applied: removes what the slice replaces, events included. Returns true if other
  // sources that contributed to it were reset and have to be read again.
  bool take_back(const SourceSlice& slice, TimeMs now);
  // Call after the events are applied: stores the slice's items. Sets the cursor to the number of bytes in the ledger
  // until the source is read to its end.
  void save(SourceSlice& slice);

 private:
  std::uint32_t count(SourceId source, std::string_view session_uid);  // not counting the head
  void truncate(SourceId source, std::string_view session_uid, std::uint32_t keep);
  // Replaces the item with that number; 0 is the head.
  void put(SourceId source, std::string_view session_uid, std::uint32_t number, const SourceItem& item);
  void mark_gone(SourceId source, std::string_view session_uid, std::uint32_t number);
  void set_totals(SourceId source, std::span<const CoverageEntry> lines);
  std::uint64_t settle(SourceId source);  // call after changes; returns the bytes in the ledger
  // Resets a source so that it is read again: a log from its start, an in-place source from the session's last
  // remaining event.
  void set_back(SourceId source, std::string_view session_uid);
  void subtract(SourceId source, std::string_view session_uid, std::uint32_t first, std::uint32_t last);

  sqlite::Database& db_;
  Assembler& assembler_;
};

}  // namespace memd::assembly

#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace memd::assembly {

class Assembler;

// The items of sources that are changed in place (rows of `source_items`), and the ledger (`coverage`) kept in step
// with them: an item has its line there while the source shows it. Writer thread only; owns nothing. Throws
// ErrorException.
class ItemLedger {
 public:
  ItemLedger(sqlite::Database& db, Assembler& assembler) : db_(db), assembler_(assembler) {}

  // Whether the items before those of the slice are there; else take_back() refuses it.
  bool follows(const SourceSlice& slice);
  // Before the slice's events are taken in: takes back what the slice replaces, events included. True: other sources
  // that gave something of it were set back, and have to be read again.
  bool take_back(const SourceSlice& slice, TimeMs now);
  // After that: stores the slice's items. The cursor becomes the bytes in the ledger until the source is read to its
  // end.
  void save(SourceSlice& slice);

 private:
  std::uint32_t count(SourceId source, std::string_view session_uid);  // the head not counted
  void truncate(SourceId source, std::string_view session_uid, std::uint32_t keep);
  // Replaces what has that number; 0 is the head.
  void put(SourceId source, std::string_view session_uid, std::uint32_t number, const SourceItem& item);
  void mark_gone(SourceId source, std::string_view session_uid, std::uint32_t number);
  void set_totals(SourceId source, std::span<const CoverageEntry> lines);
  std::uint64_t settle(SourceId source);  // after changes: the bytes that the ledger accounts for
  // Has a source read again: a log from its start, an in-place one for what it gave of the session behind the last
  // event that is left.
  void set_back(SourceId source, std::string_view session_uid);
  void subtract(SourceId source, std::string_view session_uid, std::uint32_t first, std::uint32_t last);

  sqlite::Database& db_;
  Assembler& assembler_;
};

}  // namespace memd::assembly

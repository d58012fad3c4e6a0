#pragma once

#include "schemas/coverage.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd {

// Bits of source_items.flags. Append, never renumber.
inline constexpr unsigned kItemStartsExchange = 1;
inline constexpr unsigned kItemGone = 2;

// A record of a source that is changed in place (a row of a database, an element of a document), as the store
// remembers it. Items of a session are numbered from 1 in the order of the session; RawRef::offset of the events made
// from an item is its number. Number 0 is the session's head: a record about the session as a whole, which gives no
// events and may change as often as it likes.
struct SourceItem {
  std::string key;            // native, unique within the session, the same for each version of the record
  std::uint64_t version = 0;  // differs when the content does (a hash of it)
  bool starts_exchange = false;
  bool gone = false;     // the source does not show it any more; what it gave stays
  CoverageEntry ledger;  // its line: one record, with the bytes it takes in the source
};

// What a slice of such a source does to one session's items: those after the first `keep` (and, with keep == 0, all
// of the session that came from this source) are forgotten together with every event from them on, then `added`
// follow. The item behind the kept ones starts an exchange, or keep is 0.
struct SessionItems {
  std::string session_uid;
  std::uint32_t keep = 0;  // items that stay, the head not counted
  std::vector<SourceItem> added;
  std::vector<std::uint32_t> gone;  // numbers of kept items that the source does not show any more
  bool has_head = false;
  SourceItem head;
};

}  // namespace memd

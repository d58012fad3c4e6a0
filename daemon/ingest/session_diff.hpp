#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memd {

// What to do so that the store has a session as its source shows it.
struct SessionDiff {
  std::uint32_t keep = 0;           // items that stay
  std::vector<std::size_t> added;   // places in the list of the source, to be read and put behind them
  std::vector<std::uint32_t> gone;  // numbers of kept items that the source does not show any more
  bool empty(std::size_t known) const { return keep == known && added.empty() && gone.empty(); }
};

// Compares what the store remembers of a session with what the source lists.
//
// Where both agree but for new items behind, these are added. At the first difference the session goes back to the
// start of the exchange it stands in, and is read from there. Items that the source does not show any more stay as they
// are, and with them all that stands before them: going back further would forget them, and they cannot be read again.
// Only those of the newest exchange go when it changes: an answer that was made anew.
SessionDiff compare_session(std::span<const SourceItem> known, std::span<const SnapshotReader::Item> listed);

}  // namespace memd

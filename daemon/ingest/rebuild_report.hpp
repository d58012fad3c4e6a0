#pragma once

#include "schemas/session_loss.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd {

// What a rebuild of the whole store did.
struct RebuildReport {
  std::uint64_t files = 0;
  std::uint64_t slices = 0;
  std::uint64_t bytes = 0;  // of records
  std::uint64_t events = 0;
  std::uint64_t damaged_bytes = 0;   // in raw files that could not be read
  std::vector<std::string> damages;  // the first damages, by file and offset
  std::uint64_t unsupported = 0;     // slices of platforms that this memd does not read
  // Compared with the previous store.
  bool replaced = false;              // the new store took its place
  std::vector<SessionLoss> from_old;  // sessions that the raw layer lacked parts of, taken from the old store
  std::vector<SessionLoss> lost;      // sessions that the new store lacks parts of
  std::string old_damage;             // why the old store is unreadable; losses are then unknown
  std::string kept;                   // path of the old store now; empty: there was none
};

}  // namespace memd

#pragma once

#include "schemas/coverage.hpp"
#include "schemas/diagnostic.hpp"
#include "schemas/event.hpp"
#include "schemas/session.hpp"

#include <string_view>
#include <vector>

namespace memd {

// What an adapter makes of some bytes. Order within `events` is the order in the source.
struct EventBatch {
  std::vector<SessionUpdate> sessions;
  std::vector<Event> events;
  std::vector<CoverageEntry> coverage;  // aggregated: one entry per (type, disposition, reason)
  std::vector<Diagnostic> diagnostics;
  bool secrets_masked = false;  // set by mask_secrets() alone; the store masks what is not

  // Adds one record to the ledger.
  void cover(std::string_view record_type, Disposition disposition, std::string_view reason, std::uint64_t bytes,
             std::uint64_t records = 1);
  void clear();
};

}  // namespace memd

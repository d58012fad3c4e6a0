#pragma once

#include "schemas/coverage.hpp"
#include "schemas/diagnostic.hpp"
#include "schemas/event.hpp"
#include "schemas/session.hpp"

#include <cstddef>
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

  // How much the batch holds, to take back later what a broken record added. The ledger does not count.
  struct Length {
    std::size_t sessions = 0;
    std::size_t events = 0;
    std::size_t diagnostics = 0;
  };
  Length length() const { return {sessions.size(), events.size(), diagnostics.size()}; }
  // Drops what was added since `length` was taken.
  void cut_back(const Length& length) {
    sessions.resize(length.sessions);
    events.resize(length.events);
    diagnostics.erase(diagnostics.begin() + static_cast<std::ptrdiff_t>(length.diagnostics), diagnostics.end());
  }
};

}  // namespace memd

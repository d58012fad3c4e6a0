#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memd::ingestion {

// Adds to a line of a source's ledger. Throws ErrorException.
void add_coverage(sqlite::Database& db, SourceId source, std::string_view record_type, Disposition disposition,
                  std::string_view reason, std::uint64_t records, std::uint64_t bytes);

// Reads and writes rows of sources, of their ledgers (`coverage`) and of their diagnostics. Writer thread only, inside
// the writer's transaction. Throws ErrorException.
class SourceRows {
 public:
  explicit SourceRows(sqlite::Database& db) : db_(db) {}

  std::vector<Source> all();
  void save(Source& source);  // assigns an id to a new source

  // With `restart`, the previous ledger is deleted first.
  void add_coverage(SourceId source, const std::vector<CoverageEntry>& entries, bool restart);
  // `in_place`: the source is read again whenever it changes, so diagnostics that are already stored are not added
  // again.
  void add_diagnostics(const Source& source, const std::vector<Diagnostic>& diagnostics, bool in_place, TimeMs now);
  std::int64_t delete_expired_diagnostics(TimeMs now);  // returns their number

  // The platform's adapter cannot be used: running sessions become capture_disabled, and a contract_mismatch diagnostic
  // gives the reason. Returns false if that diagnostic was already written within the last day.
  bool disable_capture(Platform platform, TimeMs now);
  // Disables capture for all platforms at the user's request. enable_capture() re-enables the sessions disabled at
  // `since`.
  void disable_all_capture(TimeMs now);
  void enable_capture(TimeMs since);

 private:
  sqlite::Database& db_;
};

}  // namespace memd::ingestion

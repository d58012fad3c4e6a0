#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memd::ingestion {

// Reads and writes rows of sources, of their ledgers (`coverage`) and of their diagnostics. Writer thread only, inside
// the writer's transaction. Throws ErrorException.
class SourceRows {
 public:
  explicit SourceRows(sqlite::Database& db) : db_(db) {}

  std::vector<Source> all();
  void save(Source& source);  // gives a new one its id
  void set_state(SourceId source, SourceState state, std::string_view reason);
  void set_cursor(SourceId source, std::uint64_t cursor);

  // `restart`: what the ledger had goes first.
  void add_coverage(SourceId source, const std::vector<CoverageEntry>& entries, bool restart);
  // `in_place`: of a source that is read again when it changes; what was said already is not said again.
  void add_diagnostics(const Source& source, const std::vector<Diagnostic>& diagnostics, bool in_place, TimeMs now);
  std::int64_t delete_expired_diagnostics(TimeMs now);  // how many

  // The platform's adapter cannot be used: sessions that go on become capture_disabled, and a contract_mismatch
  // diagnostic says why. False: that was said within the last day.
  bool disable_capture(Platform platform, TimeMs now);
  // The same for all platforms, by the wish of the user; and the end of it for those that became so at `since`.
  void disable_all_capture(TimeMs now);
  void enable_capture(TimeMs since);

 private:
  sqlite::Database& db_;
};

}  // namespace memd::ingestion

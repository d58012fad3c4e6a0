#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/read/recent_records.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace memd::ingestion {

// Writes the ingestion log, which records the events of each source with their time. Sums up appends: at most one entry
// per minute and source. Writer thread only, inside the writer's transaction. Throws ErrorException.
class SourceHistory {
 public:
  explicit SourceHistory(sqlite::Database& db) : db_(db) {}

  // The stored state of a source. Call look() before the source's row is written.
  struct Before {
    bool known = false;
    SourceState state = SourceState::active;
    std::uint64_t cursor = 0;
    std::uint64_t size = 0;
  };
  Before look(const Source& source);

  void note(const Before& before, const SourceSlice& slice, std::uint64_t events, TimeMs now);
  void add(Platform platform, SourceId source, IngestionStep step, std::string_view detail, TimeMs now,
           std::uint64_t bytes = 0, std::uint64_t events = 0);

  void flush(TimeMs now);      // writes the sums whose minute is over; call before a commit
  void flush_all(TimeMs now);  // writes all sums; call before the end
  void forget();               // call after a rollback
  void expire(TimeMs now);

 private:
  struct Sum {
    Platform platform{};
    std::uint64_t bytes = 0;
    std::uint64_t events = 0;
    TimeMs last_entry = 0;
  };
  void note_state(const Before& before, const Source& source, TimeMs now);
  void note_restart(const Before& before, const SourceSlice& slice, TimeMs now);
  bool was_read_before(const Before& before, SourceId source);
  void write(SourceId source, Sum& sum, IngestionStep step, TimeMs now);

  sqlite::Database& db_;
  std::map<SourceId, Sum> sums_;
  std::set<SourceId> unread_;  // sources in sums_ that were never read to the end
};

// Detects that an agent has changed its format: at least 20 of the last 1,000 records have an unknown shape, and their
// share is more than three times that of all earlier records of the platform (at least 1,000). Writes a schema_drift
// diagnostic, at most once per day and platform.
// Writer thread only, inside the writer's transaction. Throws ErrorException.
class DriftMonitor {
 public:
  DriftMonitor(sqlite::Database& db, SourceHistory& history) : db_(db), history_(history) {}

  void note(const SourceSlice& slice);
  void flush(TimeMs now);  // call before a commit
  void forget();           // call after a rollback

 private:
  struct Watched {
    RecentRecords recent;
    SourceId suspect = 0;  // source of the latest records with an unknown shape
    bool dirty = false;
  };
  Watched& watched(Platform platform);
  bool has_drifted(Platform platform, const RecentRecords& recent);
  void report(Platform platform, Watched& w, TimeMs now);

  sqlite::Database& db_;
  SourceHistory& history_;
  std::map<Platform, Watched> platforms_;
};

}  // namespace memd::ingestion

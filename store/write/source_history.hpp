#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/read/ingestion.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace memd::ingestion {

// Writes the ingestion log: what happened to each source, and when. Appends are summed up: at most one entry a minute
// and source. Writer thread only, inside the writer's transaction. Throws ErrorException.
class SourceHistory {
 public:
  explicit SourceHistory(sqlite::Database& db) : db_(db) {}

  // What the store knows of a source. Ask before its row is written.
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

  void flush(TimeMs now);      // writes the sums whose minute is over; before a commit
  void flush_all(TimeMs now);  // writes all sums; before the end
  void forget();               // after a rollback
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
  std::set<SourceId> unread_;  // of those in sums_: not yet read to the end
};

// Notices that an agent has changed its format: among the last 1,000 records taken in are 20 of unknown shape or more,
// and they are more than three times as frequent as in all the platform's records before (of which there have to be
// 1,000). Says so in a schema_drift diagnostic, at most once a day and platform.
// Writer thread only, inside the writer's transaction. Throws ErrorException.
class DriftMonitor {
 public:
  DriftMonitor(sqlite::Database& db, SourceHistory& history) : db_(db), history_(history) {}

  void note(const SourceSlice& slice);
  void flush(TimeMs now);  // before a commit
  void forget();           // after a rollback

 private:
  struct Watched {
    RecentRecords recent;
    SourceId suspect = 0;  // source of the last records of unknown shape
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

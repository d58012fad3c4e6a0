#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/read/recent_records.hpp"
#include "store/write/source_history.hpp"

#include <cstdint>
#include <map>

namespace memd::ingestion {

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

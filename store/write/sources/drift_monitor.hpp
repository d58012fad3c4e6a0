#pragma once

#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/write/sources/source_history.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace memd::ingestion {

// The records of a platform taken in lately by one version of its adapter, in the order they came: about the last
// 1,000. Kept in `meta` under recent_records_key(), so that it outlives a restart.
struct RecentRecords {
  struct Stretch {
    std::uint64_t records = 0;
    std::uint64_t unknown = 0;
  };
  std::string adapter_version;
  TimeMs reported_at = 0;  // last schema_drift diagnostic
  std::deque<Stretch> stretches;

  void add(std::uint64_t records, std::uint64_t unknown);
  Stretch total() const;
  std::string encode() const;
  static RecentRecords decode(std::string_view text);  // of what is no encoding: an empty one
};
std::string recent_records_key(Platform platform);

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

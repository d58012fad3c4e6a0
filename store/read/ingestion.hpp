#pragma once

#include "schemas/platform.hpp"
#include "schemas/query.hpp"
#include "schemas/source.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// How many of a platform's last 1,000 records or so were of unknown shape to one version of its adapter. Kept in `meta`
// under recent_records_key(), so that it outlives a restart. A value; no thread rule.
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
  static RecentRecords decode(std::string_view text);  // an empty one if `text` is no encoding
};
std::string recent_records_key(Platform platform);

// What ingest took in, what it left, and how the sources are.

// The ledger: one line per source, record type, disposition and reason, or per platform (`path` is empty then). Of the
// filter only platforms and session apply.
struct CoverageQuery {
  QueryFilter filter{};
  bool by_source = false;

  using Answer = std::vector<CoverageRow>;
  Answer run(sqlite::Database& db) const;
};

// A page of the diagnostics, newest first.
struct DiagnosticQuery {
  std::vector<Platform> platforms;  // empty: all
  int limit = 50;
  int offset = 0;

  using Answer = DiagnosticList;
  Answer run(sqlite::Database& db) const;
};

// The diagnostics by platform and type.
struct DiagnosticGroupsQuery {
  using Answer = std::vector<DiagnosticGroup>;
  Answer run(sqlite::Database& db) const;
};

// What happened to sources, newest first.
struct IngestionLogQuery {
  std::vector<Platform> platforms;  // empty: all
  TimeMs since = 0;
  int limit = 50;

  using Answer = std::vector<IngestionLogEntry>;
  Answer run(sqlite::Database& db) const;
};

struct SourceHealthQuery {
  int most_troubles = 0;  // sources in trouble that are named

  using Answer = SourceHealth;
  Answer run(sqlite::Database& db) const;
};

// A page of the sources, by platform and path.
struct SourceListQuery {
  std::vector<Platform> platforms;  // empty: all
  int limit = 100;
  int offset = 0;

  struct Row {
    Platform platform{};
    std::string path;
    SourceState state{};
    std::string reason;
    std::uint64_t size = 0;
    std::uint64_t cursor = 0;
    std::int64_t failures = 0;
    TimeMs retry_at = 0;
  };
  struct Answer {
    std::vector<Row> rows;
    std::int64_t total = 0;
  };
  Answer run(sqlite::Database& db) const;
};

// Sessions that were written to after a time, in the order in which they were; subagents' too.
struct ChangedSessionsQuery {
  TimeMs after = 0;
  int limit = 100;

  struct Row {
    std::string uid;
    Platform platform{};
    std::string title;
    std::string parent_uid;
    std::int64_t events = 0;
    std::int64_t exchanges = 0;
    TimeMs ended_at = 0;
    TimeMs ingested_at = 0;
  };
  struct Answer {
    std::vector<Row> rows;
    TimeMs newest = 0;  // when any session was written to last
  };
  Answer run(sqlite::Database& db) const;
};

// Platforms with at least one source or session, in the order of kAllPlatforms.
struct PlatformTotalsQuery {
  using Answer = std::vector<PlatformTotals>;
  Answer run(sqlite::Database& db) const;
};

// How far each platform is behind as the store knows it (size at the last look against cursor); checked_at is 0. The
// same platforms in the same order.
struct PlatformFreshnessQuery {
  using Answer = std::vector<PlatformFreshness>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

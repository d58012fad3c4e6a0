#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/platform.hpp"
#include "schemas/store_health.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <vector>

// Queries over ingest: what was stored, what was skipped, and the state of the sources.
namespace memd {

// Returns the coverage ledger: one row per source, record type, disposition and reason, or one per platform (`path` is
// then empty).
struct CoverageQuery {
  std::vector<Platform> platforms{};  // empty: all
  bool by_source = false;

  using Answer = std::vector<CoverageRow>;
  Answer run(sqlite::Database& db) const;
};

// Returns a page of the diagnostics, newest first.
struct DiagnosticQuery {
  std::vector<Platform> platforms;  // empty: all
  int limit = 50;
  int offset = 0;

  using Answer = DiagnosticList;
  Answer run(sqlite::Database& db) const;
};

// Counts the diagnostics by platform and type.
struct DiagnosticGroupsQuery {
  using Answer = std::vector<DiagnosticGroup>;
  Answer run(sqlite::Database& db) const;
};

// Returns the ingestion log of sources, newest first.
struct IngestionLogQuery {
  std::vector<Platform> platforms;  // empty: all
  TimeMs since = 0;
  int limit = 50;

  using Answer = std::vector<IngestionLogEntry>;
  Answer run(sqlite::Database& db) const;
};

struct SourceHealthQuery {
  int most_troubles = 0;  // maximum number of failing sources that are named

  using Answer = SourceHealth;
  Answer run(sqlite::Database& db) const;
};

// Returns a page of the sources, sorted by platform and path.
struct SourceListQuery {
  std::vector<Platform> platforms;  // empty: all
  int limit = 100;
  int offset = 0;

  struct Row : SourceTrouble {  // in trouble or not
    std::uint64_t size = 0;
    std::uint64_t cursor = 0;
  };
  struct Answer {
    std::vector<Row> rows;
    std::int64_t total = 0;
  };
  Answer run(sqlite::Database& db) const;
};

// Lists sessions written after a given time, in write order, including subagents.
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
    TimeMs newest = 0;  // time of the last write to any session
  };
  Answer run(sqlite::Database& db) const;
};

// Returns totals of platforms with at least one source or session, in the order of platforms().
struct PlatformTotalsQuery {
  using Answer = std::vector<PlatformTotals>;
  Answer run(sqlite::Database& db) const;
};

// Returns what the rows tell of each platform with a session: the program's newest version, when the first of its turns
// was read, and when the last one ended. 0 and empty: not known.
struct AgentFactsQuery {
  struct Row {
    Platform platform{};
    std::string version;
    TimeMs read_since = 0;
    TimeMs last_turn = 0;
  };
  using Answer = std::vector<Row>;
  Answer run(sqlite::Database& db) const;
};

// Returns how far each platform lags, from stored data alone: the size at the last check against the cursor. checked_at
// is 0. Same platforms and order as PlatformTotalsQuery.
struct PlatformFreshnessQuery {
  using Answer = std::vector<PlatformFreshness>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

#pragma once

#include "schemas/query.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <vector>

// What ingest took in, what it left, and how the sources are.
namespace memd {

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

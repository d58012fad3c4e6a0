#pragma once

#include "schemas/ingestion_log.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <vector>

// What ingest did and how the sources are. Members throw ErrorException.
namespace memd::queries {

std::vector<IngestionLogEntry> ingestion_log(sqlite::Database& db, const IngestionLogQuery& query);  // newest first
SourceHealth source_health(sqlite::Database& db, int most_troubles);
// Fills in what `totals` says of records of unknown shape.
void add_unknown_shares(sqlite::Database& db, std::vector<PlatformTotals>& totals);

}  // namespace memd::queries

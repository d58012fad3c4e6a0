#pragma once

#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <vector>

// Of a filter only platforms and session (its sources) apply to the ledger. Members throw ErrorException.
namespace memd::queries {

std::vector<CoverageRow> coverage_by_source(sqlite::Database& db, const QueryFilter& filter);
std::vector<CoverageRow> coverage_by_platform(sqlite::Database& db, const QueryFilter& filter);
DiagnosticList diagnostics(sqlite::Database& db, const DiagnosticQuery& query);

}  // namespace memd::queries

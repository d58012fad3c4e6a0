#pragma once

#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <vector>

// Per platform that has a source or a session, in the order of kAllPlatforms. Members throw ErrorException.
namespace memd::queries {

std::vector<PlatformTotals> totals(sqlite::Database& db);
std::vector<PlatformFreshness> freshness(sqlite::Database& db);

}  // namespace memd::queries

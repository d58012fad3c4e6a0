#pragma once

#include "schemas/query.hpp"
#include "store/db/database.hpp"
#include "store/read/day_slices.hpp"

namespace memd::queries {

// Exchanges whose start is not known are on no day and are left out. `days` counts for the same connection. Throws
// ErrorException.
Timeline timeline(sqlite::Database& db, DaySessions& days, const TimelineQuery& query);

}  // namespace memd::queries

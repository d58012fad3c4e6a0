#pragma once

#include "schemas/query.hpp"
#include "store/sqlite/database.hpp"

namespace memd::queries {

// Exchanges whose start is not known are on no day and are left out. The connection needs add_day_sessions(). Throws
// ErrorException.
Timeline timeline(sqlite::Database& db, const TimelineQuery& query);

}  // namespace memd::queries

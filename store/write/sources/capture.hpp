#pragma once

#include "store/db/database.hpp"
#include "store/write/sources/source_history.hpp"

#include <string_view>

namespace memd::ingestion {

// The platform's adapter cannot be used: a contract_mismatch diagnostic and a log entry, once a day at most; sessions
// that are active become capture_disabled. Inside the writer's transaction. Throws ErrorException.
void disable_capture(sqlite::Database& db, SourceHistory& history, Platform platform, std::string_view why, TimeMs now);

}  // namespace memd::ingestion

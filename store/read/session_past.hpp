#pragma once

#include "store/db/database.hpp"
#include "store/insight/continuity/session_past.hpp"

#include <cstdint>
#include <vector>

// Loads what a session had been before a compaction or before its end. All throw ErrorException; on the thread of the
// connection.
namespace memd::continuity {

// In order of the session. A session without any is no error; At::latest_compaction then means its end.
std::vector<Boundary> find_boundaries(sqlite::Database& db, std::int64_t session_pk);
// Errc::invalid_argument when there is no boundary of that number.
Boundary choose_boundary(sqlite::Database& db, std::int64_t session_pk, const BoundaryChoice& choice);

SessionPast load_past(sqlite::Database& db, std::int64_t session_pk, const BoundaryChoice& choice);

}  // namespace memd::continuity

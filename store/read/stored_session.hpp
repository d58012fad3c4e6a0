#pragma once

#include "schemas/stored_session.hpp"
#include "store/db/database.hpp"

#include <cstdint>

namespace memd::queries {

// Throws ErrorException; Errc::not_found when there is no such row.
StoredSession stored_session(sqlite::Database& db, std::int64_t session_pk);

}  // namespace memd::queries

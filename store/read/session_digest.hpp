#pragma once

#include "schemas/session_digest.hpp"
#include "store/db/database.hpp"

#include <cstdint>

namespace memd::queries {

// Of the exchanges with first ≤ number ≤ last. Throws ErrorException.
SessionDigest session_digest(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                             std::int64_t last_number);

}  // namespace memd::queries

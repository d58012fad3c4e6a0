#pragma once

#include "store/db/database.hpp"
#include "store/insight/continuity/session_past.hpp"

#include <cstdint>

namespace memd {

// Loads a session's state before a compaction or before its end. Errc::invalid_argument when there is no boundary of
// that number.
struct SessionPastQuery {
  std::int64_t session_pk = 0;
  continuity::BoundaryChoice choice{};

  using Answer = continuity::SessionPast;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

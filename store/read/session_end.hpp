#pragma once

#include "store/db/database.hpp"
#include "store/insight/outcome.hpp"

#include <cstdint>
#include <limits>

namespace memd {

// Reads the end of a session from rows: at most its last exchanges and events. A session without rows gives
// Last::nothing.
struct SessionEndQuery {
  std::int64_t session_pk = 0;
  // Treats the session as if it had ended before this event.
  std::int64_t before_seq = std::numeric_limits<std::int64_t>::max();

  using Answer = SessionEnd;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

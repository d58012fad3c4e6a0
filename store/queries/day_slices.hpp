#pragma once

#include "schemas/time.hpp"
#include "store/sqlite/database.hpp"

#include <cstdint>
#include <vector>

namespace memd::queries {

// What one session did on one day (UTC).
struct DaySession {
  TimeMs day = 0;  // its first millisecond
  std::int64_t session_pk = 0;
  std::int64_t exchanges = 0;
  TimeMs start = 0;  // of its first exchange
  TimeMs last = 0;   // when its last one began
};

// Once a connection, before day_sessions(): a function of SQL that counts. A step out of SQLite for each exchange costs
// more than looking at it.
void add_day_sessions(sqlite::Database& db);

// Of exchanges with since <= start < until, in the order of their first; `until` 0: no end. Exchanges whose start is
// not known are left out. Throws ErrorException.
std::vector<DaySession> day_sessions(sqlite::Database& db, TimeMs since, TimeMs until);

}  // namespace memd::queries

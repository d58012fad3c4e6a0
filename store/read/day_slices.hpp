#pragma once

#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <vector>

namespace memd::queries {

// What one session did on one day of the time zone.
struct DaySession {
  TimeMs day = 0;  // its first millisecond
  std::int64_t session_pk = 0;
  std::int64_t exchanges = 0;
  TimeMs start = 0;  // of its first exchange
  TimeMs last = 0;   // when its last one began
};

// Counts the exchanges of days and sessions inside of SQLite: a step out of it for each exchange costs more than
// looking at it. Kept by a connection (Database::kept), used on its thread.
class DaySessions {
 public:
  // Adds a function to the connection. Throws ErrorException.
  explicit DaySessions(sqlite::Database& db);
  DaySessions(const DaySessions&) = delete;
  DaySessions& operator=(const DaySessions&) = delete;

  // Counts exchanges with since <= start < until, in the order of their first; `until` 0: no end. Exchanges whose start
  // is not known are left out. The last answer is kept for the pages that follow, as long as nobody writes to the
  // store; it is valid until the next call. Inside a transaction of the same connection. Throws ErrorException.
  const std::vector<DaySession>& between(sqlite::Database& db, TimeMs since, TimeMs until);

 private:
  std::int64_t version_ = -1;  // of the store, as this connection sees it, that `known_` was counted in
  TimeMs since_ = 0;
  TimeMs until_ = 0;
  std::vector<DaySession> known_;
};

}  // namespace memd::queries

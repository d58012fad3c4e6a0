#pragma once

#include "schemas/query.hpp"
#include "store/db/database.hpp"

namespace memd {

// What happened between two times, by day and session. Exchanges whose start is not known are on no day and are left
// out.
struct TimelineQuery {
  QueryFilter filter;  // since and until select exchanges by their start
  int limit = 100;     // slices
  int offset = 0;

  using Answer = Timeline;
  Answer run(sqlite::Database& db) const;
};

// The last exchange before filter.since and the first from filter.until on, of the sessions that the filter lets
// through; 0: there is none.
struct NearestActivityQuery {
  QueryFilter filter;

  struct Found {
    TimeMs before = 0;
    TimeMs after = 0;
  };
  using Answer = Found;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

#pragma once

#include "schemas/query.hpp"
#include "schemas/timeline.hpp"
#include "store/db/database.hpp"

namespace memd {

// Lists activity between two times by day and session. Skips exchanges whose start is unknown.
struct TimelineQuery {
  QueryFilter filter;  // since and until select exchanges by their start
  int limit = 100;     // slices
  int offset = 0;

  using Answer = Timeline;
  Answer run(sqlite::Database& db) const;
};

// Finds the last exchange before filter.since and the first from filter.until on, among sessions that match the filter.
// 0: none.
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

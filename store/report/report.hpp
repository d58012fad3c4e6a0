#pragma once

#include "schemas/report.hpp"
#include "store/db/database.hpp"

namespace memd {

// A part of the history in figures. Looks at every session that the filter lets through, one after the other: seconds
// for a hundred thousand exchanges. not_found or invalid_argument when filter.session names no session or several.
struct ReportQuery {
  QueryFilter filter;            // since and until select exchanges by their start, sessions by their span
  int detailed_sessions = 5000;  // the newest; older ones are in the figures only
  int topics = 14;               // that are followed over time
  int files = 300;               // touched most
  ReportProgress progress{};     // may be empty

  using Answer = Report;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

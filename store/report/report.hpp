#pragma once

#include "schemas/query.hpp"
#include "schemas/report.hpp"
#include "store/db/database.hpp"
#include "store/read/usage.hpp"

namespace memd {

// Computes the figures of a part of the history. Reads every session that passes the filter, one by one: seconds for a
// hundred thousand exchanges. Returns not_found or invalid_argument when filter.session matches no session or several.
struct ReportQuery {
  QueryFilter filter;            // since and until select exchanges by their start, sessions by their span
  int detailed_sessions = 5000;  // the newest; older ones only count in the figures
  int topics = 14;               // number of topics tracked over time
  int files = 300;               // number of most touched files
  ReportProgress progress{};     // may be empty
  Pricer pricer{};               // of single responses; may be empty

  using Answer = Report;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd

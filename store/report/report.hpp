#pragma once

#include "schemas/report.hpp"
#include "store/db/database.hpp"

namespace memd::report {

// Looks at every session that the filter lets through, one after the other. Throws ErrorException; not_found or
// invalid_argument when filter.session names no session or several.
Report make_report(sqlite::Database& db, const ReportQuery& query, const ReportProgress& progress);

}  // namespace memd::report

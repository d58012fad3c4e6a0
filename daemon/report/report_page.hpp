#pragma once

#include "daemon/memories/notebook.hpp"
#include "daemon/report/gaps.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/report.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The page that `memd report` writes. Pure functions; each may be called on any thread.
namespace memd::report {

struct ReportContext {
  TimeMs made_at = 0;
  std::string version;
  std::string asked;  // command-line options, as typed
  std::vector<Gap> gaps;
  std::string priced_by{};  // where the prices of Report::usage come from; empty: only costs of platforms are shown
  memories::MemoryGraphView memories{};
};

// Returns the data of the page as JSON, without zero and empty members and with secrets masked. Times are in
// milliseconds, UTC; days are those of schemas/report.hpp, and `offsets` converts times to days. The newest sessions
// are written in detail up to kDetailBytes and the others in a line each, so that a page stays at about 5 MB.
inline constexpr std::size_t kDetailBytes = 2'500'000;
std::string report_data(const Report& report, const ReportContext& context);

// Returns the page that shows the result of report_data(): the saved form of a view of `memd web`.
std::string report_page(std::string_view data);

// The scripts of that view, in their order, behind words.js: they share one scope.
inline constexpr auto kReportScripts = std::to_array<std::string_view>(
    {"htm-preact.js", "parts.js", "report_model.js", "report_overview.js", "report_heat_map.js", "report_lanes.js",
     "report_session.js", "report_sessions.js", "report_topics.js", "memory_graph.js", "report_tokens.js",
     "report_uses.js", "report_coverage.js", "report.js"});

}  // namespace memd::report

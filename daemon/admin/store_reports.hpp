#pragma once

#include "daemon/admin/reports.hpp"
#include "schemas/error.hpp"

#include <vector>

namespace memd {
class MemoryHost;
}

// What the store holds of each platform and source, and what happened to them. Each takes a reader of the host; for
// worker threads.
namespace memd::admin {

Result<std::vector<PlatformReport>> platform_reports(MemoryHost& host);
Result<CoverageReport> coverage(MemoryHost& host, const CoverageParams& params);
Result<SourcesReport> sources_report(MemoryHost& host);
Result<LogReport> log(MemoryHost& host, const LogParams& params);

}  // namespace memd::admin

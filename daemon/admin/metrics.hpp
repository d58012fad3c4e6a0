#pragma once

#include "daemon/admin/reports.hpp"
#include "protocol/mcp/describe.hpp"

#include <string>

namespace memd::admin {

// Renders the figures of a status in the Prometheus text format (version 0.0.4): names, numbers and platform keys, no
// content of the history.
std::string prometheus_text(const StatusReport& status);

struct MetricsReport {
  std::string metrics;
};
inline std::string render_text(const MetricsReport& report) { return report.metrics; }

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::MetricsReport,
              field<&admin::MetricsReport::metrics>("Text format of Prometheus, version 0.0.4."));

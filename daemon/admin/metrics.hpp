#pragma once

#include "daemon/admin/reports.hpp"
#include "protocol/mcp/describe.hpp"

#include <string>

namespace memd::admin {

// The figures of a status in the text format that Prometheus reads (version 0.0.4): names, numbers and keys of
// platforms, nothing of history.
std::string prometheus_text(const StatusReport& status);

struct MetricsReport {
  std::string metrics;
};
inline std::string render_text(const MetricsReport& report) { return report.metrics; }

}  // namespace memd::admin

namespace memd::mcp {

template <>
struct Describe<admin::MetricsReport> {
  static constexpr auto fields =
      fields_of(field("metrics", &admin::MetricsReport::metrics, "Text format of Prometheus, version 0.0.4."));
};

}  // namespace memd::mcp

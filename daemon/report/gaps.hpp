#pragma once

#include "schemas/platform.hpp"
#include "schemas/report.hpp"
#include "store/report/report.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memd::report {

// A sentence about something that a report does not cover.
struct Gap {
  enum class Weight { note, warning };  // note: by nature or by choice; warning: something is lost or fails
  Weight weight = Weight::note;
  std::optional<Platform> platform;
  std::string text;
};

// Returns the gaps of a report, warnings first. `adapters`: with their configuration. Their limitations are included if
// the report has sessions of their platform.
std::vector<Gap> gaps_of(const Report& report, const ReportQuery& query, std::span<const AdapterDescription> adapters);

}  // namespace memd::report

#pragma once

#include "schemas/platform.hpp"
#include "schemas/report.hpp"
#include "store/report/report.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memd::report {

// A sentence about something that a report could not cover.
struct Gap {
  enum class Weight { note, warning };  // note: by nature or by choice; warning: something is lost or in trouble
  Weight weight = Weight::note;
  std::optional<Platform> platform;
  std::string text;
};

// Warnings first. `adapters`: with what the configuration says about them; their limitations are told if the report has
// sessions of their platform.
std::vector<Gap> gaps_of(const Report& report, const ReportQuery& query, std::span<const AdapterDescription> adapters);

}  // namespace memd::report

#pragma once

#include "daemon/cli/history_filter.hpp"
#include "daemon/host/settings.hpp"
#include "schemas/base/result.hpp"
#include "schemas/report.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace memd::cli {

struct MadeReport {
  Report report;
  std::string data;  // report::report_data() of it
};

// Reads the history that the filter leaves, and its memories. `prices`: a file of own prices; empty: none. `progress`
// gets how much is done, and of how much; may be empty. Any thread.
Result<MadeReport> make_report(const Settings& settings, const TypedFilter& filter,
                               const std::filesystem::path& prices = {},
                               const std::function<void(double, double)>& progress = {});

}  // namespace memd::cli

#pragma once

#include "daemon/usage/usage_report.hpp"
#include "schemas/base/result.hpp"

#include <string>
#include <vector>

namespace memd {
class Reader;
struct Settings;
}  // namespace memd

namespace memd::cli {

// Reads the records of a session and of its subagents again, and says of each one that tells tokens whether they were
// counted. `session`: as in all commands. Records that are gone are not in the list.
Result<std::vector<usage::ExplainedRecord>> explain_usage(Reader& reader, const Settings& settings,
                                                          const std::string& session);

}  // namespace memd::cli

#pragma once

#include "schemas/base/result.hpp"

#include <string>
#include <vector>

namespace memd {

class MemoryHost;

// Returns the uids of stored sessions that the configuration excludes. Any thread.
Result<std::vector<std::string>> stored_though_excluded(MemoryHost& host);

}  // namespace memd

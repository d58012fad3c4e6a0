#pragma once

#include "daemon/admin/reports.hpp"
#include "daemon/serve/memory_host.hpp"

#include <optional>

namespace memd::admin {

// What would go and when; with `apply` what is past its limit goes now, without the notice the daemon gives.
Result<RetentionReport> retention(MemoryHost& host, const RetentionParams& params);

// The next thing to go within the notice; nullopt when nothing does, or no limit is set.
std::optional<DropReport> next_drop(MemoryHost& host);

}  // namespace memd::admin

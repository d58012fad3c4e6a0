#pragma once

#include "daemon/admin/admin_tools.hpp"
#include "daemon/admin/reports.hpp"

namespace memd::admin {

// Looks for what keeps memd from working and says what to do. Never an error: what cannot be looked at is a problem
// among the checks. For worker threads; may take seconds.
Result<DoctorReport> doctor(MemoryHost& host, const ProcessFacts& facts, const DoctorParams& params);

}  // namespace memd::admin

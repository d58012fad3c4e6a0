#pragma once

#include "daemon/admin/process_facts.hpp"
#include "daemon/admin/reports.hpp"
#include "daemon/host/memory_host.hpp"

namespace memd::admin {

// Looks for what keeps memd from working and says what to do. Never an error: what cannot be looked at is a problem
// among the checks. For worker threads; may take seconds, or
// as long as reading all of the raw layer takes.
Result<DoctorReport> doctor(MemoryHost& host, const ProcessFacts& facts, const DoctorParams& params);

}  // namespace memd::admin

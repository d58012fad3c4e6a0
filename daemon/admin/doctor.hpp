#pragma once

#include "daemon/admin/process_facts.hpp"
#include "daemon/admin/reports.hpp"

namespace memd {
class MemoryHost;
}

namespace memd::admin {

// Looks for problems that keep memd from working and says what to do. Never returns an error: a check that cannot run
// is reported as a problem. For worker threads. Takes seconds, or with `full` as long as reading the whole raw layer.
Result<DoctorReport> doctor(MemoryHost& host, const ProcessFacts& facts, const DoctorParams& params);

}  // namespace memd::admin

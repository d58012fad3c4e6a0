#pragma once

#include "daemon/admin/reports.hpp"
#include "daemon/serve/memory_host.hpp"

// Which language model summarises, and what it was asked today. Asks nobody.
namespace memd::admin {

Result<SummariesStatus> summaries_status(const MemoryHost& host);
DoctorCheck check_summaries(const MemoryHost& host);

}  // namespace memd::admin

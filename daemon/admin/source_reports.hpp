#pragma once

#include "daemon/admin/process_facts.hpp"
#include "daemon/admin/reports.hpp"
#include "daemon/serve/memory_host.hpp"
#include "schemas/error.hpp"

// How the sources are and what happened to them.
namespace memd::admin {

Result<SourcesReport> sources_report(MemoryHost& host);
Result<LogReport> log(MemoryHost& host, const LogParams& params);
// Never an error: what cannot be looked at is a problem among the checks.
Result<DoctorReport> doctor(MemoryHost& host, const ProcessFacts& facts);

}  // namespace memd::admin

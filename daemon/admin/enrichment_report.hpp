#pragma once

#include "daemon/admin/reports.hpp"
#include "daemon/serve/memory_host.hpp"
#include "protocol/mcp/tool_context.hpp"

#include <chrono>

// How far vectors and terms are.
namespace memd::admin {

// The message of the progress that enrich_now() reports, in exchanges.
inline constexpr const char* kEnriching = "enriching";

Result<EnrichmentStatus> enrichment_status(MemoryHost& host);
// Waits until all that can be made is made; for a process whose worker ends with it.
Result<EnrichmentRun> enrich_now(MemoryHost& host, std::chrono::steady_clock::time_point deadline,
                                 mcp::ToolContext& context);
DoctorCheck check_embedding(MemoryHost& host);

}  // namespace memd::admin

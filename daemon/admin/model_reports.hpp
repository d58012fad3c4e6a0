#pragma once

#include "daemon/admin/reports.hpp"
#include "protocol/mcp/tool_context.hpp"

#include <chrono>

namespace memd {
class MemoryHost;
}

// How far embedding models and language models are. For worker threads; nothing here asks a language model.
namespace memd::admin {

// The message of the progress that enrich_now() reports, in exchanges.
inline constexpr const char* kEnriching = "enriching";

Result<EnrichmentStatus> enrichment_status(MemoryHost& host);
// Waits until vectors and terms of all exchanges are made, or `deadline`. For a process whose worker ends with it.
Result<EnrichmentRun> enrich_now(MemoryHost& host, std::chrono::steady_clock::time_point deadline,
                                 mcp::ToolContext& context);
// Embeds a word to see whether the model answers, if no worker of this process would have noticed.
DoctorCheck check_embedding(MemoryHost& host);

Result<SummariesStatus> summaries_status(const MemoryHost& host);
DoctorCheck check_summaries(const MemoryHost& host);

}  // namespace memd::admin

#pragma once

#include "daemon/admin/reports.hpp"
#include "daemon/tools/diagnostics.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <vector>

namespace memd {
class MemoryHost;
}

namespace memd::admin {

// Reports on the store's content by platform and source, and on events of sources. Each function leases a reader of the
// host; for worker threads.

Result<std::vector<PlatformReport>> platform_reports(MemoryHost& host);
Result<CoverageReport> coverage(MemoryHost& host, const CoverageParams& params);
Result<SourcesReport> sources_report(MemoryHost& host);
std::vector<std::string> unread_places(const MemoryHost& host);  // Discovery::unread_places(), a line each
Result<LogReport> log(MemoryHost& host, const LogParams& params);
Result<tools::DiagnosticsReport> diagnostics(MemoryHost& host, const tools::DiagnosticsParams& params);

// State of embedding models and language models. For worker threads; nothing here sends a request to a language model.

// The message of the progress that enrich_now() reports, in exchanges.
inline constexpr const char* kEnriching = "enriching";

Result<EnrichmentStatus> enrichment_status(MemoryHost& host);
// Waits until all exchanges have vectors and terms, or until `deadline`. For a process whose worker ends with it.
Result<EnrichmentRun> enrich_now(MemoryHost& host, std::chrono::steady_clock::time_point deadline,
                                 mcp::ToolContext& context);
// Checks the embedding model. Embeds a word if no worker of this process would have noticed a failure.
DoctorCheck check_embedding(MemoryHost& host);

Result<SummariesStatus> summaries_status(const MemoryHost& host);
std::optional<DecisionsStatus> decisions_status(const MemoryHost& host);
DoctorCheck check_summaries(const MemoryHost& host);

}  // namespace memd::admin

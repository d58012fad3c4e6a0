#pragma once

#include "daemon/admin/process_facts.hpp"
#include "daemon/admin/reports.hpp"
#include "daemon/host/memory_host.hpp"
#include "protocol/mcp/tool_context.hpp"

#include <optional>
#include <string>

// The questions of the command line that write to the store, and retention. For worker threads; the host must ingest.
namespace memd::admin {

// Looks at every source and waits until all of it is in the store. Without a daemon it also waits for enrichment.
Result<IngestReport> ingest_now(MemoryHost& host, const ProcessFacts& facts, const IngestParams& params,
                                mcp::ToolContext& context);
// Takes an events.v1 file in as a source of platform imported.
Result<ImportReport> import_file(MemoryHost& host, const ImportParams& params, mcp::ToolContext& context);

// What would be dropped and when. With `apply`, what is past its limit is dropped now, without the notice that the
// daemon gives: exactly what is told as due before. Only that needs a host that ingests.
Result<RetentionReport> retention(MemoryHost& host, const RetentionParams& params);
// The next drop within the notice, with all sessions of that day; nullopt when there is none, or no limit is set.
std::optional<DropReport> next_drop(MemoryHost& host);
// Why the daemon waits with what is due; empty: it does not.
std::string large_notice(const RetentionPlan& plan);

double peak_rss_mb();  // of this process, in MiB

}  // namespace memd::admin

#pragma once

#include "daemon/admin/process_facts.hpp"
#include "daemon/admin/reports.hpp"
#include "protocol/mcp/tool_context.hpp"

#include <optional>
#include <string>

namespace memd {
class MemoryHost;
struct RetentionPlan;
}  // namespace memd

// The commands that write to the store, and retention. For worker threads; the host must ingest.
namespace memd::admin {

// Reads every source and waits until all of it is stored. Without a daemon it also waits for enrichment. Vectors of the
// second look are made only if `params` say so.
Result<IngestReport> ingest_now(MemoryHost& host, const ProcessFacts& facts, const IngestParams& params,
                                mcp::ToolContext& context);
// Ingests an events.v1 file as a source of the platform `imported`.
Result<ImportReport> import_file(MemoryHost& host, const ImportParams& params, mcp::ToolContext& context);

// Returns what retention will drop and when. With `apply`, it drops everything past its limit now, without the daemon's
// notice period: exactly what was reported as due. Only `apply` needs a host that ingests.
Result<RetentionReport> retention(MemoryHost& host, const RetentionParams& params);
// Returns the next drop within the notice period, with all sessions of that day; nullopt when there is none, or no
// limit is set.
std::optional<DropReport> next_drop(MemoryHost& host);
// Returns why the daemon postpones what is due; empty: it does not.
std::string large_notice(const RetentionPlan& plan);

double peak_rss_mb();  // of this process, in MiB

}  // namespace memd::admin

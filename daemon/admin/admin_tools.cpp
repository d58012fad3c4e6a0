#include "daemon/admin/admin_tools.hpp"

#include "daemon/admin/describe_reports.hpp"
#include "daemon/admin/enrichment_report.hpp"
#include "daemon/admin/import_tool.hpp"
#include "daemon/admin/retention_tool.hpp"
#include "daemon/admin/source_reports.hpp"
#include "daemon/admin/summaries_report.hpp"
#include "daemon/version.hpp"
#include "schemas/json_writer.hpp"
#include "store/read/ingestion.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <chrono>
#include <fstream>
#include <system_error>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

constexpr double kMega = 1e6;
constexpr double kMebi = 1024.0 * 1024.0;

double peak_rss_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return static_cast<double>(usage.ru_maxrss) / kMebi;
#else
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
#endif
}

double rss_mb() {
  std::ifstream in("/proc/self/statm");
  double total = 0;
  double resident = 0;
  if (!(in >> total >> resident)) return peak_rss_mb();
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / kMebi;
}

PlatformReport report(const PlatformTotals& t) {
  PlatformReport r;
  r.platform = to_string(t.platform);
  r.sources = t.sources;
  r.bytes_total = t.bytes_total;
  r.bytes_indexed = t.bytes_indexed;
  r.bytes_skipped = t.bytes_skipped;
  r.bytes_unknown = t.bytes_unknown;
  r.bytes_pending = t.bytes_pending;
  r.sessions = t.sessions;
  r.subagent_sessions = t.subagent_sessions;
  r.exchanges = t.exchanges;
  r.subagent_exchanges = t.subagent_exchanges;
  r.events = t.events;
  r.diagnostics = t.diagnostics;
  r.records = t.records;
  r.unknown_records = t.unknown_records;
  r.recent_records = t.recent_records;
  r.recent_unknown_records = t.recent_unknown;
  r.schema_drift = format_rfc3339(t.drift_at);
  r.span = {format_rfc3339(t.span.start), format_rfc3339(t.span.end)};
  return r;
}

Result<std::vector<PlatformReport>> platform_reports(MemoryHost& host) {
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const auto totals, reader->ask(PlatformTotalsQuery{}));
  std::vector<PlatformReport> out;
  for (const auto& t : totals)
    out.push_back(report(t));
  return out;
}

Result<IngestReport> run_ingest(MemoryHost& host, const ProcessFacts& facts, const IngestParams& params,
                                mcp::ToolContext& context) {
  IngestService* ingest = host.ingest();
  if (ingest == nullptr) return Error(Errc::unavailable, "this process does not ingest");
  const auto started = std::chrono::steady_clock::now();
  const IngestSnapshot before = ingest->progress().snapshot();
  ingest->scan();
  while (!ingest->block_until_idle(100ms)) {
    const IngestSnapshot now = ingest->progress().snapshot();
    context.progress(static_cast<double>(now.bytes_done), static_cast<double>(now.bytes_total), now.current);
    if (context.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    if (!now.last_error.empty()) return Error(Errc::store, now.last_error);
    if (std::chrono::steady_clock::now() - started > std::chrono::seconds(params.timeout_s))
      return Error(Errc::unavailable, "ingest is still running after " + std::to_string(params.timeout_s) + " s");
  }
  const IngestSnapshot after = ingest->progress().snapshot();
  IngestReport r;
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  r.bytes_read = after.bytes_read - before.bytes_read;
  r.events_written = after.events - before.events;
  r.mb_per_s = r.seconds > 0 ? static_cast<double>(r.bytes_read) / kMega / r.seconds : 0;
  r.peak_rss_mb = peak_rss_mb();
  // A daemon goes on by itself; a command would take its worker along.
  if (facts.role == "none") {
    const auto deadline = started + std::chrono::seconds(params.timeout_s);
    MEMD_TRY_ASSIGN(r.enrichment, enrich_now(host, deadline, context));
  }
  MEMD_TRY_ASSIGN(r.platforms, platform_reports(host));
  for (const auto& p : r.platforms) {
    r.sources += p.sources;
    r.bytes_total += p.bytes_total;
    r.bytes_indexed += p.bytes_indexed;
    r.bytes_skipped += p.bytes_skipped;
    r.bytes_unknown += p.bytes_unknown;
    r.bytes_pending += p.bytes_pending;
    r.sessions += p.sessions;
    r.subagent_sessions += p.subagent_sessions;
    r.exchanges += p.exchanges;
    r.subagent_exchanges += p.subagent_exchanges;
    r.events += p.events;
    r.diagnostics += p.diagnostics;
  }
  return r;
}

IngestStatus ingest_status(const IngestSnapshot& s) {
  return {s.idle,
          s.sources,
          s.sources_pending,
          s.bytes_total,
          s.bytes_done,
          s.current,
          s.events,
          s.commits,
          format_rfc3339(s.last_commit),
          format_rfc3339(s.last_scan),
          s.last_error};
}

std::uint64_t store_bytes(const StoreLayout& layout) {
  std::uint64_t total = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code ec;
    const auto size = std::filesystem::file_size(layout.database().string() + suffix, ec);
    if (!ec) total += size;
  }
  return total;
}

std::uint64_t bytes_below(const std::filesystem::path& directory) {
  std::uint64_t total = 0;
  std::error_code ec;
  for (std::filesystem::recursive_directory_iterator it(directory, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code gone;
    if (const auto size = it->file_size(gone); !gone && it->is_regular_file(gone)) total += size;
  }
  return total;
}

Result<StatusReport> status(MemoryHost& host, const ProcessFacts& facts) {
  StatusReport r;
  r.version = version();
  r.role = facts.role;
  r.data_dir = host.settings().layout.data_dir().string();
  r.home = host.settings().home.string();
  r.socket = facts.socket;
  if (facts.started_at != 0) {
    r.pid = ::getpid();
    r.uptime_s = static_cast<double>(host.clock().now() - facts.started_at) / 1000.0;
    r.rss_mb = rss_mb();
  }
  if (facts.connections) r.connections = facts.connections();
  if (facts.watcher) r.watcher = facts.watcher();
  r.store_bytes = store_bytes(host.settings().layout);
  r.raw_bytes = bytes_below(host.settings().layout.raw_dir());
  r.next_drop = next_drop(host);
  if (host.ingest() != nullptr) r.ingest = ingest_status(host.ingest()->progress().snapshot());
  MEMD_TRY_ASSIGN(r.enrichment, enrichment_status(host));
  MEMD_TRY_ASSIGN(r.summaries, summaries_status(host));
  MEMD_TRY_ASSIGN(r.sources, sources_report(host));
  MEMD_TRY_ASSIGN(r.platforms, platform_reports(host));
  return r;
}

Result<CoverageReport> coverage(MemoryHost& host, const CoverageParams& params) {
  QueryFilter filter;
  if (!params.platform.empty()) {
    const auto platform = parse_platform(params.platform);
    if (!platform) return Error(Errc::invalid_argument, "platform: no such platform: " + params.platform);
    filter.platforms = {*platform};
  }
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const auto rows, reader->ask(CoverageQuery{filter, params.by_source}));
  CoverageReport r;
  for (const auto& row : rows)
    r.coverage.push_back({std::string(to_string(row.platform)), row.path, row.entry.record_type,
                          std::string(to_string(row.entry.disposition)), row.entry.reason, row.entry.records,
                          row.entry.bytes});
  MEMD_TRY_ASSIGN(const auto totals, reader->ask(PlatformTotalsQuery{}));
  for (const auto& t : totals) {
    if (!filter.platforms.empty() && t.platform != filter.platforms.front()) continue;
    r.bytes_total += t.bytes_total;
    r.bytes_indexed += t.bytes_indexed;
    r.bytes_skipped += t.bytes_skipped;
    r.bytes_unknown += t.bytes_unknown;
    r.bytes_pending += t.bytes_pending;
  }
  return r;
}

}  // namespace

void register_admin_tools(mcp::ToolRegistry& registry, MemoryHost& host, ProcessFacts facts) {
  registry.add<IngestParams, IngestReport>(
      {"ingest",
       "Ingest",
       "Looks at every source and waits until all of it is in the store.",
       {false, false, true, false}},
      [&host, facts](const IngestParams& p, mcp::ToolContext& context) { return run_ingest(host, facts, p, context); });
  registry.add<NoParams, StatusReport>(
      {"status", "Status", "What memd is doing and what it holds.", {}},
      [&host, facts](const NoParams&, mcp::ToolContext&) { return status(host, facts); });
  registry.add<LogParams, LogReport>({"log", "Log", "What happened to the sources, and when.", {}},
                                     [&host](const LogParams& p, mcp::ToolContext&) { return log(host, p); });
  registry.add<NoParams, DoctorReport>(
      {"doctor", "Doctor", "Looks for what keeps memd from working as it should, and says what to do.", {}},
      [&host, facts](const NoParams&, mcp::ToolContext&) { return doctor(host, facts); });
  registry.add<RetentionParams, RetentionReport>(
      {"retention",
       "Retention",
       "What is dropped when and why; drops what is due if asked to.",
       {false, true, true, false}},
      [&host](const RetentionParams& p, mcp::ToolContext&) { return retention(host, p); });
  registry.add<CoverageParams, CoverageReport>(
      {"coverage", "Coverage", "What became of every byte of every source.", {}},
      [&host](const CoverageParams& p, mcp::ToolContext&) { return coverage(host, p); });
  register_import_tool(registry, host);
}

void add_admin_methods(mcp::ServerProfile& profile, const mcp::ToolRegistry& registry) {
  for (const auto& tool : registry.tools()) {
    const std::string name = tool.info.name;
    profile.add_method("memd/" + name,
                       [&registry, name](std::string_view params, mcp::ToolContext& context) -> Result<std::string> {
                         const auto outcome = registry.call(name, params, context);
                         std::string out;
                         json::Writer w(out);
                         w.begin_object();
                         w.member("text", outcome.text);
                         w.member_bool("is_error", outcome.is_error);
                         if (!outcome.structured.empty()) w.member_raw("structured", outcome.structured);
                         w.end_object();
                         return out;
                       });
  }
}

}  // namespace memd::admin

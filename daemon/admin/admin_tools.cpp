#include "daemon/admin/admin_tools.hpp"

#include "daemon/admin/doctor.hpp"
#include "daemon/admin/forget_tool.hpp"
#include "daemon/admin/ingest_tools.hpp"
#include "daemon/admin/memory_tool.hpp"
#include "daemon/admin/metrics.hpp"
#include "daemon/admin/recall_tool.hpp"
#include "daemon/admin/status_reports.hpp"
#include "daemon/version.hpp"
#include "schemas/json_writer.hpp"

#include <unistd.h>

#include <fstream>
#include <system_error>

namespace memd::admin {

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(in >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

namespace {

double rss_mb() {
  const auto bytes = resident_bytes();
  return bytes == 0 ? peak_rss_mb() : static_cast<double>(bytes) / (1024.0 * 1024.0);
}

IngestStatus ingest_status(const IngestSnapshot& s, std::string trouble) {
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
          std::move(trouble),
          s.sources_short,
          s.shortage};
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
  MEMD_TRY_ASSIGN(r.capture, host.set_capture({}));
  if (host.ingest() != nullptr)
    r.ingest = ingest_status(host.ingest()->progress().snapshot(), host.ingest()->trouble());
  MEMD_TRY_ASSIGN(r.enrichment, enrichment_status(host));
  MEMD_TRY_ASSIGN(r.summaries, summaries_status(host));
  r.decisions = decisions_status(host);
  MEMD_TRY_ASSIGN(r.sources, sources_report(host));
  MEMD_TRY_ASSIGN(r.memories, memory_catalog(host, {}));
  MEMD_TRY_ASSIGN(r.platforms, platform_reports(host));
  for (const Platform platform : host.platforms_unread())
    r.unread.emplace_back(to_string(platform));
  return r;
}

}  // namespace

void register_admin_tools(mcp::ToolRegistry& registry, MemoryHost& host, ProcessFacts facts) {
  registry.add<IngestParams, IngestReport>(
      {"ingest",
       "Ingest",
       "Looks at every source and waits until all of it is in the store.",
       {false, false, true, false}},
      [&host, facts](const IngestParams& p, mcp::ToolContext& context) { return ingest_now(host, facts, p, context); });
  registry.add<NoParams, StatusReport>(
      {"status", "Status", "What memd is doing and what it holds.", {}},
      [&host, facts](const NoParams&, mcp::ToolContext&) { return status(host, facts); });
  registry.add<NoParams, MetricsReport>({"metrics", "Metrics", "The figures of status as Prometheus reads them.", {}},
                                        [&host, facts](const NoParams&, mcp::ToolContext&) -> Result<MetricsReport> {
                                          MEMD_TRY_ASSIGN(const StatusReport now, status(host, facts));
                                          return MetricsReport{prometheus_text(now)};
                                        });
  registry.add<LogParams, LogReport>({"log", "Log", "What happened to the sources, and when.", {}},
                                     [&host](const LogParams& p, mcp::ToolContext&) { return log(host, p); });
  registry.add<tools::DiagnosticsParams, tools::DiagnosticsReport>(
      {"diagnostics", "Diagnostics", "What went wrong with input in the last 30 days, newest first.", {}},
      [&host](const tools::DiagnosticsParams& p, mcp::ToolContext&) { return diagnostics(host, p); });
  registry.add<DoctorParams, DoctorReport>(
      {"doctor", "Doctor", "Looks for what keeps memd from working as it should, and says what to do.", {}},
      [&host, facts](const DoctorParams& p, mcp::ToolContext&) { return doctor(host, facts, p); });
  registry.add<RetentionParams, RetentionReport>(
      {"retention",
       "Retention",
       "What is dropped when and why; drops what is due if asked to.",
       {false, true, true, false}},
      [&host](const RetentionParams& p, mcp::ToolContext&) { return retention(host, p); });
  registry.add<ForgetParams, ForgetReport>(
      {"forget", "Forget", "Forgets sessions for good, or says what would be forgotten.", {false, true, true, false}},
      [&host](const ForgetParams& p, mcp::ToolContext&) { return forget(host, p); });
  registry.add<MemoryCatalogParams, MemoryCatalogReport>(
      {"memory_catalog",
       "Memories",
       "How the index of memories stands; makes it anew if asked to.",
       {false, false, true, false}},
      [&host](const MemoryCatalogParams& p, mcp::ToolContext&) { return memory_catalog(host, p); });
  registry.add<tools::CaptureParams, tools::CaptureAnswer>(
      {"capture", "Capture", "Pauses and resumes the storing of what agents write.", {false, false, true, false}},
      [&host](const tools::CaptureParams& p, mcp::ToolContext&) { return host.set_capture(p); });
  registry.add<RecallParams, RecallReport>(
      {"recall", "Recall", "What earlier work tells of a file, a command or an error; for hooks of agents.", {}},
      [&host](const RecallParams& p, mcp::ToolContext&) { return recall(host, p); });
  registry.add<CoverageParams, CoverageReport>(
      {"coverage", "Coverage", "What became of every byte of every source.", {}},
      [&host](const CoverageParams& p, mcp::ToolContext&) { return coverage(host, p); });
  registry.add<ImportParams, ImportReport>(
      {"import", "Import", "Takes an events.v1 file into the store.", {false, false, true, false}},
      [&host](const ImportParams& p, mcp::ToolContext& context) { return import_file(host, p, context); });
}

void add_admin_methods(mcp::ServerProfile& profile, const mcp::ToolRegistry& registry, std::string_view prefix) {
  for (const auto& tool : registry.tools()) {
    const std::string name = tool.info.name;
    profile.add_method(std::string(prefix) + name,
                       [&registry, name](std::string_view params, mcp::ToolContext& context) -> Result<std::string> {
                         const auto outcome = registry.call(name, params, context);
                         std::string out;
                         json::Writer w(out);
                         w.begin_object();
                         w.member("text", outcome.text);
                         w.member_bool("is_error", outcome.is_error);
                         if (outcome.is_usage) w.member_bool("is_usage", true);
                         if (!outcome.structured.empty()) w.member_raw("structured", outcome.structured);
                         w.end_object();
                         return out;
                       });
  }
}

}  // namespace memd::admin

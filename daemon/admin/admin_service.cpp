#include "daemon/admin/admin_service.hpp"

#include "daemon/admin/doctor.hpp"
#include "daemon/admin/ingest_tools.hpp"
#include "daemon/admin/second_look_report.hpp"
#include "daemon/admin/status_reports.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/version.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace memd::admin {

namespace {

double rss_mb() {
  const auto bytes = resident_bytes();
  return bytes == 0 ? peak_rss_mb() : static_cast<double>(bytes) / (1024.0 * 1024.0);
}

Result<StatusReport> status_report(MemoryHost& host, const ProcessFacts& facts) {
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
  r.store_bytes = store_bytes(host);
  r.raw_bytes = raw_bytes(host);
  r.next_drop = next_drop(host);
  MEMD_TRY_ASSIGN(r.capture, host.set_capture({}));
  if (facts.store_rebuild) r.rebuild = facts.store_rebuild();
  r.ingest = ingest_status(host);
  MEMD_TRY_ASSIGN(r.enrichment, enrichment_status(host));
  MEMD_TRY_ASSIGN(r.second_look, second_look_status(host));
  MEMD_TRY_ASSIGN(r.summaries, summaries_status(host));
  r.decisions = decisions_status(host);
  MEMD_TRY_ASSIGN(r.sources, sources_report(host));
  MEMD_TRY_ASSIGN(r.memories, memory_catalog(host, {}));
  MEMD_TRY_ASSIGN(r.platforms, platform_reports(host));
  for (const Platform platform : host.platforms_unread())
    r.unread.emplace_back(to_string(platform));
  return r;
}

// Returns what the watcher is told nothing of, as the end of its description.
std::string words_for_polled(MemoryHost& host) {
  std::string out;
  if (host.ingest() == nullptr) return out;
  for (const auto& polled : host.ingest()->progress().snapshot().polled)
    out += fmt::format("; looking at {} every {} s ({})", polled.place, polled.pause.count(), polled.why);
  return out;
}

constexpr mcp::ToolAnnotations kWrites{false, false, true, false};
constexpr mcp::ToolAnnotations kDestroys{false, true, true, false};

}  // namespace

AdminService::AdminService(MemoryHost& host, ProcessFacts facts)
    : ingest{{"ingest", "Ingest", "Looks at every source and waits until all of it is in the store.", kWrites},
             "Rescan",
             [&host, facts](const IngestParams& p, mcp::ToolContext& context) {
               return ingest_now(host, facts, p, context);
             }},
      status{{"status", "Status", "What memd is doing and what it holds.", {}},
             "Status",
             [&host, facts](const NoParams&, mcp::ToolContext&) -> Result<StatusReport> {
               MEMD_TRY_ASSIGN(StatusReport report, status_report(host, facts));
               report.watcher += words_for_polled(host);
               report.unread_places = unread_places(host);  // searches the roots, which metrics do without
               return report;
             }},
      sources{{"sources", "Sources", "The sources that memd knows, with what it has read of each.", {}},
              "ListSources",
              [&host](const SourceListParams& p, mcp::ToolContext&) { return source_list(host, p); }},
      metrics{{"metrics", "Metrics", "The figures of status as Prometheus reads them.", {}},
              "GetMetrics",
              [&host, facts](const NoParams&, mcp::ToolContext&) -> Result<MetricsReport> {
                MEMD_TRY_ASSIGN(const StatusReport now, status_report(host, facts));
                return MetricsReport{prometheus_text(now)};
              }},
      configuration{{"configuration", "Configuration", "The configuration in force, without secrets.", {}},
                    "GetConfiguration",
                    [&host](const NoParams&, mcp::ToolContext&) -> Result<ConfigurationReport> {
                      return admin::configuration(host.settings().config);
                    }},
      events{{"events", "Events", "How far ingest is, and which sessions were written to since the last report.", {}},
             "WatchEvents",
             [&host](const EventsParams& p, mcp::ToolContext&) { return events_since(host, p); }},
      log{{"log", "Log", "What happened to the sources, and when.", {}},
          "ListLog",
          [&host](const LogParams& p, mcp::ToolContext&) { return admin::log(host, p); }},
      diagnostics{
          {"diagnostics", "Diagnostics", "What went wrong with input in the last 30 days, newest first.", {}},
          "ListDiagnostics",
          [&host](const tools::DiagnosticsParams& p, mcp::ToolContext&) { return admin::diagnostics(host, p); }},
      doctor{{"doctor", "Doctor", "Looks for what keeps memd from working as it should, and says what to do.", {}},
             "Doctor",
             [&host, facts](const DoctorParams& p, mcp::ToolContext&) { return admin::doctor(host, facts, p); }},
      retention{{"retention", "Retention", "What is dropped when and why; drops what is due if asked to.", kDestroys},
                "Retention",
                [&host](const RetentionParams& p, mcp::ToolContext&) { return admin::retention(host, p); }},
      forget{{"forget", "Forget", "Forgets sessions for good, or says what would be forgotten.", kDestroys},
             "Forget",
             [&host](const ForgetParams& p, mcp::ToolContext&) { return admin::forget(host, p); }},
      project{
          {"project", "Projects", "Which projects are joined; joins one to another, or splits it off again.", kWrites},
          "Project",
          [&host](const ProjectParams& p, mcp::ToolContext&) { return admin::project(host, p); }},
      memory_catalog{
          {"memory_catalog", "Memories", "State of the index of memories; rebuilds it if asked to.", kWrites},
          "MemoryCatalog",
          [&host](const MemoryCatalogParams& p, mcp::ToolContext&) { return admin::memory_catalog(host, p); }},
      capture{{"capture", "Capture", "Pauses and resumes the storing of what agents write.", kWrites},
              "Capture",
              [&host](const tools::CaptureParams& p, mcp::ToolContext&) { return host.set_capture(p); }},
      compact{
          {"compact", "Compact", "Merges the search index and the original records, and shrinks the store.", kWrites},
          "Compact",
          [&host](const CompactParams&, mcp::ToolContext&) { return admin::compact(host); }},
      rebuild{{"rebuild", "Rebuild", "Rebuilds an index from its rows or files; starts a rebuild of the whole store.",
               kWrites},
              "Rebuild",
              [&host, facts](const RebuildParams& p, mcp::ToolContext&) { return admin::rebuild(host, facts, p); }},
      recall{{"recall", "Recall", "What earlier work says at a moment of a session; for hooks of agents.", {}},
             "Recall",
             [&host, told = std::make_shared<ToldLines>()](const RecallParams& p, mcp::ToolContext&) {
               return admin::recall(host, *told, p);
             }},
      coverage{{"coverage", "Coverage", "What became of every byte of every source.", {}},
               "GetCoverage",
               [&host](const CoverageParams& p, mcp::ToolContext&) { return admin::coverage(host, p); }},
      import{{"import", "Import", "Takes an events.v1 file into the store.", kWrites},
             "Import",
             [&host](const ImportParams& p, mcp::ToolContext& context) { return import_file(host, p, context); }},
      share{{"share", "Share", "What is shared with other machines; shares a project, and syncs what is shared.",
             kWrites},
            "Share",
            [&host](const ShareParams& p, mcp::ToolContext& context) { return admin::share(host, p, context); }} {}

}  // namespace memd::admin

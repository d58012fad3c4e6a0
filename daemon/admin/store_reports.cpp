#include "daemon/admin/store_reports.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/tools/time_argument.hpp"
#include "store/read/ingestion.hpp"

#include <chrono>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

constexpr int kMostTroubles = 20;

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

// Empty text: no platform in particular.
Result<std::vector<Platform>> platforms_named(const std::string& name) {
  if (name.empty()) return std::vector<Platform>();
  const auto platform = parse_platform(name);
  if (!platform) return Error(Errc::invalid_argument, "platform: no such platform: " + name);
  return std::vector<Platform>{*platform};
}

}  // namespace

Result<std::vector<PlatformReport>> platform_reports(MemoryHost& host) {
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const auto totals, reader->ask(PlatformTotalsQuery{}));
  std::vector<PlatformReport> out;
  for (const auto& t : totals)
    out.push_back(report(t));
  return out;
}

Result<CoverageReport> coverage(MemoryHost& host, const CoverageParams& params) {
  QueryFilter filter;
  MEMD_TRY_ASSIGN(filter.platforms, platforms_named(params.platform));
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

Result<SourcesReport> sources_report(MemoryHost& host) {
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const SourceHealth health, reader->ask(SourceHealthQuery{kMostTroubles}));
  SourcesReport r{health.active, health.gone, health.unreachable, health.quarantined, {}};
  for (const auto& t : health.troubles)
    r.troubles.push_back({std::string(to_string(t.platform)), t.path, std::string(to_string(t.state)), t.reason,
                          t.failures, format_rfc3339(t.retry_at)});
  return r;
}

Result<LogReport> log(MemoryHost& host, const LogParams& params) {
  IngestionLogQuery query;
  MEMD_TRY_ASSIGN(query.platforms, platforms_named(params.platform));
  if (!params.since.empty()) {
    MEMD_TRY_ASSIGN(query.since,
                    tools::parse_time_argument("since", params.since, tools::RangeEnd::since, host.clock()));
  }
  query.limit = static_cast<int>(params.limit);
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const auto entries, reader->ask(query));
  LogReport r;
  for (const auto& e : entries)
    r.entries.push_back(
        {format_rfc3339(e.time), std::string(to_string(e.platform)), e.what, e.path, e.detail, e.bytes, e.events});
  return r;
}

}  // namespace memd::admin

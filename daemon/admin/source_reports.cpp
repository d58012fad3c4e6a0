#include "daemon/admin/source_reports.hpp"

#include "daemon/tools/time_argument.hpp"
#include "store/read/ingestion.hpp"

#include <chrono>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

constexpr int kMostTroubles = 20;

}  // namespace

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
  if (!params.platform.empty()) {
    const auto platform = parse_platform(params.platform);
    if (!platform) return Error(Errc::invalid_argument, "platform: no such platform: " + params.platform);
    query.platforms = {*platform};
  }
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

#include "daemon/admin/ingest_tools.hpp"

#include "daemon/admin/second_look_report.hpp"
#include "daemon/admin/status_reports.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/memories/indexer_thread.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/reader_pool.hpp"
#include "store/write/retention.hpp"

#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <system_error>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

constexpr double kMega = 1e6;

DropReport drop_report(const PlannedEviction& d) {
  return {d, static_cast<std::int64_t>(d.members.size()), format_rfc3339(d.ended_at), format_rfc3339(d.due_at),
          format_rfc3339(d.goes_at)};
}

Result<void> read_all(IngestService& ingest, std::chrono::steady_clock::time_point deadline, const IngestParams& params,
                      mcp::ToolContext& context) {
  ingest.scan();
  while (!ingest.block_until_idle(100ms)) {
    const IngestSnapshot now = ingest.progress().snapshot();
    context.progress(static_cast<double>(now.bytes_done), static_cast<double>(now.bytes_total), now.current);
    if (context.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    if (!now.last_error.empty()) return Error(Errc::store, now.last_error);
    if (std::chrono::steady_clock::now() > deadline)
      return Error(Errc::unavailable, "ingest is still running after " + std::to_string(params.timeout_s) + " s");
  }
  return {};
}

// Adds the existing sources that were not read. A source out of reach (not mounted) counts as absent.
Result<void> note_unread(MemoryHost& host, const IngestSnapshot& after, IngestReport& report) {
  MEMD_TRY_ASSIGN(const auto sources, sources_report(host));
  report.unread = static_cast<std::int64_t>(after.sources_short) + sources.failing + sources.quarantined;
  report.unread_why = after.shortage;
  for (const auto& t : sources.troubles)
    if (report.unread_why.empty() && t.state != "unreachable") report.unread_why = t.source + ": " + t.reason;
  report.complete = report.unread == 0;
  report.unread_places = unread_places(host);
  return {};
}

}  // namespace

std::string large_notice(const RetentionPlan& plan) {
  if (!plan.is_large || plan.drops.empty()) return {};
  return "More than a tenth of the history is due at once: the daemon drops it when this has been announced for a "
         "week, "
         "on " +
         format_rfc3339(plan.drops.front().goes_at).substr(0, 10) + ".";
}

double peak_rss_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
#else
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
#endif
}

Result<IngestReport> ingest_now(MemoryHost& host, const ProcessFacts& facts, const IngestParams& params,
                                mcp::ToolContext& context) {
  IngestService* ingest = host.ingest();
  if (ingest == nullptr) return host.does_not_write();
  const auto started = std::chrono::steady_clock::now();
  const IngestSnapshot before = ingest->progress().snapshot();
  const auto deadline = started + std::chrono::seconds(params.timeout_s);
  IngestSnapshot after = before;
  // Repeats while progress is made: a shortage of descriptors or memory may end when files are closed.
  for (std::uint64_t was = std::numeric_limits<std::uint64_t>::max();;) {
    MEMD_TRY(read_all(*ingest, deadline, params, context));
    after = ingest->progress().snapshot();
    if (after.sources_short == 0 || after.sources_short >= was) break;
    was = after.sources_short;
  }
  constexpr std::chrono::seconds kMemoriesEndWithin{10};
  if (auto* memories = host.memory_indexer()) (void)memories->settle(kMemoriesEndWithin);
  IngestReport r;
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  r.bytes_read = after.bytes_read - before.bytes_read;
  r.events_written = after.events - before.events;
  r.mb_per_s = r.seconds > 0 ? static_cast<double>(r.bytes_read) / kMega / r.seconds : 0;
  r.peak_rss_mb = peak_rss_mb();
  // A daemon enriches later by itself; in a command, the worker ends with the command.
  if (facts.role == "none") {
    MEMD_TRY_ASSIGN(r.enrichment, enrich_now(host, deadline, context));
  }
  if (params.second_look || (facts.role == "none" && has_second_look(host))) {
    constexpr std::int64_t kNewest = 32;  // about a second of a core
    const std::int64_t most = params.second_look ? std::numeric_limits<std::int64_t>::max() : kNewest;
    MEMD_TRY_ASSIGN(r.second_look, look_again_now(host, most, deadline, context));
  }
  MEMD_TRY(note_unread(host, after, r));
  MEMD_TRY_ASSIGN(r.platforms, platform_reports(host));
  for (const auto& p : r.platforms)
    r.add(p);
  return r;
}

Result<ImportReport> import_file(MemoryHost& host, const ImportParams& params, mcp::ToolContext& context) {
  IngestService* ingest = host.ingest();
  if (ingest == nullptr) return host.does_not_write();
  const auto path = std::filesystem::path(params.path).lexically_normal();
  if (!path.is_absolute()) return Error(Errc::invalid_argument, "path: has to be absolute");
  std::error_code ec;
  if (!std::filesystem::is_regular_file(path, ec))
    return Error(Errc::not_found, path.string() + (ec ? ": " + ec.message() : ": is no file"));

  const auto before = ingest->progress().source(path.string()).value_or(SourceProgress{});
  SourceCandidate file;
  file.platform = Platform::imported;
  file.path = path.string();
  file.size = std::filesystem::file_size(path, ec);
  ingest->take(std::move(file));
  while (!ingest->block_until_idle(50ms)) {
    const IngestSnapshot now = ingest->progress().snapshot();
    if (!now.last_error.empty()) return Error(Errc::store, now.last_error);
    if (context.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    const auto at = ingest->progress().source(path.string()).value_or(SourceProgress{});
    context.progress(static_cast<double>(at.cursor), static_cast<double>(at.size), path.string());
  }
  const auto after = ingest->progress().source(path.string());
  if (!after) return Error(Errc::io, path.string() + ": could not be read");
  ImportReport r;
  r.path = path.string();
  r.bytes = after->size;
  r.bytes_done = after->cursor;
  r.events = static_cast<std::int64_t>(after->events - before.events);
  r.known = static_cast<std::int64_t>(after->duplicates - before.duplicates);
  return r;
}

Result<RetentionReport> retention(MemoryHost& host, const RetentionParams& params) {
  const RetentionPolicy policy = retention_policy(host.settings().config);
  RetentionReport r;
  r.max_age_days = policy.max_age_days;
  r.max_raw_bytes = policy.max_raw_bytes;
  if (params.apply) {
    if (!policy.is_set())
      return Error(Errc::bad_config,
                   "no limit is set: add retention.max_age_days or retention.max_raw_bytes to the "
                   "configuration");
    if (host.ingest() == nullptr) return host.does_not_write();
    MEMD_TRY(host.ingest()->perform([&](Writer& writer) -> Result<void> {
      MEMD_TRY_ASSIGN(const auto dropped, Retention(writer).drop_due(policy));
      r.dropped = EvictionSum{static_cast<std::int64_t>(dropped.sessions), static_cast<std::int64_t>(dropped.exchanges),
                              static_cast<std::int64_t>(dropped.events), dropped.raw_bytes};
      return {};
    }));
  }
  const TimeMs now = host.clock().now();
  const RetentionPlanQuery question{policy, now, now + params.within_days * kMsPerDay, true};
  MEMD_TRY_ASSIGN(const RetentionPlan plan, host.readers().ask(question));
  r.waiting = plan.waiting;
  r.large_notice = large_notice(plan);
  for (const PlannedEviction& drop : plan.drops) {
    r.drops.push_back(drop_report(drop));
    if (drop.due_at > now) continue;
    r.due.sessions += static_cast<std::int64_t>(drop.members.size());
    r.due.exchanges += drop.exchanges;
    r.due.events += drop.events;
    r.due.raw_bytes += drop.raw_bytes;
  }
  return r;
}

std::optional<DropReport> next_drop(MemoryHost& host) {
  const RetentionPolicy policy = retention_policy(host.settings().config);
  if (!policy.is_set()) return std::nullopt;
  const TimeMs now = host.clock().now();
  auto reader = host.readers().acquire(1s);
  if (!reader) return std::nullopt;
  const auto plan = (*reader)->ask(RetentionPlanQuery{policy, now, now + 2 * kRetentionNotice});
  if (!plan || plan->drops.empty()) return std::nullopt;
  // All drops of the same day count as one.
  const auto& drops = plan->drops;
  DropReport out = drop_report(drops.front());
  for (std::size_t i = 1; i < drops.size() && drops[i].goes_at < drops.front().goes_at + kMsPerDay; ++i) {
    out.sessions += static_cast<std::int64_t>(drops[i].members.size());
    out.exchanges += drops[i].exchanges;
    out.raw_bytes += drops[i].raw_bytes;
  }
  return out;
}

}  // namespace memd::admin

#include "daemon/admin/retention_tool.hpp"

#include "schemas/time.hpp"
#include "store/write/retention.hpp"

#include <chrono>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

DropReport report(const PlannedDrop& d) {
  return {d.session_uid,
          d.title,
          static_cast<std::int64_t>(d.members.size()),
          format_rfc3339(d.ended_at),
          format_rfc3339(d.due_at),
          d.reason,
          d.raw_bytes};
}

}  // namespace

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
    if (host.ingest() == nullptr) return Error(Errc::unavailable, "this process does not write");
    MEMD_TRY(host.ingest()->perform([&](Writer& writer) -> Result<void> {
      MEMD_TRY_ASSIGN(const auto dropped, Retention(writer).enforce(policy, true));
      r.dropped_sessions = static_cast<std::int64_t>(dropped.sessions);
      r.dropped_bytes = dropped.raw_bytes;
      return {};
    }));
  }
  const TimeMs now = host.clock().now();
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const auto drops, reader->ask(PlannedDropsQuery{policy, now, now + params.within_days * kMsPerDay}));
  for (const auto& drop : drops) {
    r.raw_bytes += drop.raw_bytes;
    r.drops.push_back(report(drop));
  }
  return r;
}

std::optional<DropReport> next_drop(MemoryHost& host) {
  const RetentionPolicy policy = retention_policy(host.settings().config);
  if (!policy.is_set()) return std::nullopt;
  const TimeMs now = host.clock().now();
  auto reader = host.readers().acquire(1s);
  if (!reader) return std::nullopt;
  const auto drops = (*reader)->ask(PlannedDropsQuery{policy, now, now + 2 * kRetentionNotice});
  if (!drops || drops->empty()) return std::nullopt;
  // All that go with the first are one drop.
  DropReport out = report(drops->front());
  for (std::size_t i = 1; i < drops->size() && (*drops)[i].due_at < drops->front().due_at + kMsPerDay; ++i) {
    out.sessions += static_cast<std::int64_t>((*drops)[i].members.size());
    out.raw_bytes += (*drops)[i].raw_bytes;
  }
  return out;
}

}  // namespace memd::admin

#include "store/write/source_history.hpp"

#include <algorithm>
#include <string>

namespace memd::ingestion {
namespace {

constexpr TimeMs kSummaryInterval = 60'000;

IngestionStep step_to(SourceState from, SourceState to) {
  switch (to) {
    case SourceState::gone: return IngestionStep::gone;
    case SourceState::unreachable: return IngestionStep::unreachable;
    case SourceState::quarantined: return IngestionStep::quarantined;
    case SourceState::active: break;
  }
  return from == SourceState::quarantined ? IngestionStep::released : IngestionStep::back;
}

}  // namespace

SourceHistory::Before SourceHistory::look(const Source& source) {
  Before before;
  auto& q = db_.prepare("SELECT state, cursor, size FROM sources WHERE platform = ? AND path = ?");
  q.bind(to_string(source.platform), source.path);
  if (q.step())
    before = {true, static_cast<SourceState>(q.int64(0)), static_cast<std::uint64_t>(q.int64(1)),
              static_cast<std::uint64_t>(q.int64(2))};
  q.reset();
  return before;
}

void SourceHistory::note(const Before& before, const SourceSlice& slice, std::uint64_t events, TimeMs now) {
  const Source& source = slice.source;
  const auto [it, first_time] = sums_.try_emplace(source.id);
  Sum& sum = it->second;
  sum.platform = source.platform;
  if (!before.known) {
    add(source.platform, source.id, IngestionStep::found, {}, now);
    unread_.insert(source.id);
  } else if (first_time && !was_read_before(before, source.id)) {
    unread_.insert(source.id);
  }
  note_restart(before, slice, now);
  note_state(before, source, now);

  const std::uint64_t from = slice.restart ? 0 : before.cursor;
  sum.bytes += source.cursor > from ? source.cursor - from : 0;
  sum.events += events;
  if (slice.caught_up && unread_.erase(source.id) > 0) write(source.id, sum, IngestionStep::read, now);
}

// A process that ended in the middle of a first reading left no entry for its end.
bool SourceHistory::was_read_before(const Before& before, SourceId source) {
  if (before.cursor >= before.size) return true;
  auto& q = db_.prepare("SELECT 1 FROM ingestion_log WHERE source_pk = ? AND what = ?");
  q.bind(source, to_string(IngestionStep::read));
  const bool read = q.step();
  q.reset();
  return read;
}

void SourceHistory::note_restart(const Before& before, const SourceSlice& slice, TimeMs now) {
  if (!slice.restart || before.cursor == 0) return;
  for (const auto& d : slice.batch.diagnostics) {
    if (d.type != DiagnosticType::source_truncated && d.type != DiagnosticType::source_replaced) continue;
    const bool truncated = d.type == DiagnosticType::source_truncated;
    add(slice.source.platform, slice.source.id, IngestionStep::restarted,
        truncated ? "the file became shorter" : "another file stands in its place", now);
    return;
  }
}

void SourceHistory::note_state(const Before& before, const Source& source, TimeMs now) {
  const SourceState from = before.known ? before.state : SourceState::active;
  if (from == source.state) return;
  add(source.platform, source.id, step_to(from, source.state), source.state_reason, now);
}

void SourceHistory::add(Platform platform, SourceId source, IngestionStep step, std::string_view detail, TimeMs now,
                        std::uint64_t bytes, std::uint64_t events) {
  db_.prepare(
         "INSERT INTO ingestion_log (time, source_pk, platform, what, detail, bytes, events)"
         " VALUES (?, nullif(?, 0), ?, ?, ?, ?, ?)")
      .bind(now, source, to_string(platform), to_string(step), detail, bytes, events)
      .run();
}

void SourceHistory::write(SourceId source, Sum& sum, IngestionStep step, TimeMs now) {
  add(sum.platform, source, step, {}, now, sum.bytes, sum.events);
  sum.bytes = sum.events = 0;
  sum.last_entry = now;
}

void SourceHistory::flush(TimeMs now) {
  for (auto& [source, sum] : sums_) {
    if (sum.bytes == 0 && sum.events == 0) continue;
    if (unread_.contains(source) || now - sum.last_entry < kSummaryInterval) continue;
    write(source, sum, IngestionStep::appended, now);
  }
}

void SourceHistory::flush_all(TimeMs now) {
  for (auto& [source, sum] : sums_)
    if ((sum.bytes != 0 || sum.events != 0) && !unread_.contains(source))
      write(source, sum, IngestionStep::appended, now);
}

void SourceHistory::forget() {
  sums_.clear();
  unread_.clear();
}

void SourceHistory::expire(TimeMs now) {
  db_.prepare("DELETE FROM ingestion_log WHERE time <= ?").bind(now - kIngestionLogRetention).run();
}

}  // namespace memd::ingestion

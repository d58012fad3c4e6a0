#include "store/write/source_history.hpp"

#include "schemas/sql_text.hpp"

#include <fmt/format.h>

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

constexpr std::uint64_t kLeastUnknown = 20;
constexpr std::uint64_t kLeastPast = 1000;

}  // namespace

SourceHistory::Before SourceHistory::look(const Source& source) {
  Before before;
  if (const auto row = db_.query("SELECT state, cursor, size FROM sources WHERE platform = ? AND path = ?",
                                 to_string(source.platform), source.path)
                           .row())
    before = {true, static_cast<SourceState>(row->int64(0)), static_cast<std::uint64_t>(row->int64(1)),
              static_cast<std::uint64_t>(row->int64(2))};
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

// A process that ended during the first reading wrote no entry for its end.
bool SourceHistory::was_read_before(const Before& before, SourceId source) {
  if (before.cursor >= before.size) return true;
  return db_
      .query("SELECT 1 FROM ingestion_log WHERE source_pk = ? AND what = ?", source, to_string(IngestionStep::read))
      .any();
}

void SourceHistory::note_restart(const Before& before, const SourceSlice& slice, TimeMs now) {
  if (!slice.restart || before.cursor == 0) return;
  for (const auto& d : slice.batch.diagnostics) {
    if (d.type != DiagnosticType::source_truncated && d.type != DiagnosticType::source_replaced) continue;
    const bool truncated = d.type == DiagnosticType::source_truncated;
    add(slice.source.platform, slice.source.id, IngestionStep::restarted,
        truncated ? "the file became shorter" : "it was rewritten, or another file stands in its place", now);
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
  db_.run(
      "INSERT INTO ingestion_log (time, source_pk, platform, what, detail, bytes, events)"
      " VALUES (?, nullif(?, 0), ?, ?, ?, ?, ?)",
      now, source, to_string(platform), to_string(step), detail, bytes, events);
}

void SourceHistory::write(SourceId source, Sum& sum, IngestionStep step, TimeMs now) {
  add(sum.platform, source, step, {}, now, sum.bytes, sum.events);
  sum.bytes = sum.events = 0;
  sum.last_entry = now;
}

// Drops a source that had nothing new for a minute, because there may be a million sources.
void SourceHistory::flush(TimeMs now) {
  for (auto it = sums_.begin(); it != sums_.end();) {
    auto& [source, sum] = *it;
    const bool is_over = !unread_.contains(source) && has_passed(kSummaryInterval, sum.last_entry, now);
    const bool has_something = sum.bytes != 0 || sum.events != 0;
    if (is_over && has_something) write(source, sum, IngestionStep::appended, now);
    it = is_over && !has_something ? sums_.erase(it) : std::next(it);
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
  db_.run("DELETE FROM ingestion_log WHERE time <= ?", now - kIngestionLogRetention);
}

DriftMonitor::Watched& DriftMonitor::watched(Platform platform) {
  const auto [it, is_new] = platforms_.try_emplace(platform);
  if (!is_new) return it->second;
  const std::string key = recent_records_key(platform);
  if (const auto row = db_.query("SELECT value FROM meta WHERE key = ?", key).row())
    it->second.recent = RecentRecords::decode(row->text(0));
  return it->second;
}

void DriftMonitor::note(const SourceSlice& slice) {
  std::uint64_t records = 0;
  std::uint64_t unknown = 0;
  const auto count = [&](const CoverageEntry& e) {
    records += e.records;
    if (e.disposition == Disposition::unknown) unknown += e.records;
  };
  for (const auto& e : slice.batch.coverage)
    count(e);
  if (slice.items)
    for (const auto& item : slice.items->added)
      count(item.ledger);
  if (records == 0) return;
  Watched& w = watched(slice.source.platform);
  if (w.recent.adapter_version != slice.adapter_version) {
    // Another adapter version recognises other records, so the previous counts do not apply.
    w.recent.stretches.clear();
    w.recent.adapter_version = slice.adapter_version;
  }
  w.recent.add(records, unknown);
  if (unknown > 0) w.suspect = slice.source.id;
  w.dirty = true;
}

bool DriftMonitor::has_drifted(Platform platform, const RecentRecords& recent) {
  const auto lately = recent.total();
  if (lately.unknown < kLeastUnknown) return false;
  const auto row =
      db_.query(sql_text("SELECT coalesce(sum(c.records), 0), coalesce(sum(CASE WHEN"
                         " c.disposition = Disposition::unknown THEN c.records ELSE 0 END), 0)"
                         " FROM coverage c JOIN sources s ON s.source_pk = c.source_pk WHERE s.platform = ?"),
                to_string(platform))
          .row();
  const auto all = static_cast<std::uint64_t>(row->int64(0));
  const auto all_unknown = static_cast<std::uint64_t>(row->int64(1));
  if (all < lately.records + kLeastPast) return false;
  const double past = static_cast<double>(all - lately.records);
  const double past_unknown = static_cast<double>(all_unknown - std::min(all_unknown, lately.unknown));
  return static_cast<double>(lately.unknown) * past > 3 * past_unknown * static_cast<double>(lately.records);
}

void DriftMonitor::report(Platform platform, Watched& w, TimeMs now) {
  w.recent.reported_at = now;
  db_.run(
      "INSERT INTO diagnostics (time, platform, error_type, field_names, severity, source_pk, raw_offset, redacted,"
      " expires_at) VALUES (?, ?, ?, '', ?, nullif(?, 0), NULL, 1, ?)",
      now, to_string(platform), to_string(DiagnosticType::schema_drift), static_cast<int>(Severity::warning), w.suspect,
      now + kDiagnosticRetention);
  const auto lately = w.recent.total();
  history_.add(platform, w.suspect, IngestionStep::drift,
               fmt::format("{} of the last {} records are of unknown shape to adapter {}", lately.unknown,
                           lately.records, w.recent.adapter_version),
               now);
}

void DriftMonitor::flush(TimeMs now) {
  for (auto& [platform, w] : platforms_) {
    if (!w.dirty) continue;
    w.dirty = false;
    const bool may_report = has_passed(kMsPerDay, w.recent.reported_at, now);
    if (may_report && has_drifted(platform, w.recent)) report(platform, w, now);
    const std::string key = recent_records_key(platform);
    db_.run("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2", key,
            w.recent.encode());
  }
}

void DriftMonitor::forget() { platforms_.clear(); }

}  // namespace memd::ingestion

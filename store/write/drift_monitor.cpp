#include "store/write/drift_monitor.hpp"

#include "schemas/sql_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace memd::ingestion {
namespace {

constexpr std::uint64_t kLeastUnknown = 20;
constexpr std::uint64_t kLeastPast = 1000;

}  // namespace

DriftMonitor::Watched& DriftMonitor::watched(Platform platform) {
  const auto [it, is_new] = platforms_.try_emplace(platform);
  if (!is_new) return it->second;
  const std::string key = recent_records_key(platform);
  auto& q = db_.prepare("SELECT value FROM meta WHERE key = ?");
  q.bind(key);
  if (q.step()) it->second.recent = RecentRecords::decode(q.text(0));
  q.reset();
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
    // Another version knows other records: what the one before knew says nothing about it.
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
  auto& q =
      db_.prepare(sql_text("SELECT coalesce(sum(c.records), 0), coalesce(sum(CASE WHEN"
                           " c.disposition = Disposition::unknown THEN c.records ELSE 0 END), 0)"
                           " FROM coverage c JOIN sources s ON s.source_pk = c.source_pk WHERE s.platform = ?"));
  q.bind(to_string(platform));
  q.step();
  const auto all = static_cast<std::uint64_t>(q.int64(0));
  const auto all_unknown = static_cast<std::uint64_t>(q.int64(1));
  q.reset();
  if (all < lately.records + kLeastPast) return false;
  const double past = static_cast<double>(all - lately.records);
  const double past_unknown = static_cast<double>(all_unknown - std::min(all_unknown, lately.unknown));
  return static_cast<double>(lately.unknown) * past > 3 * past_unknown * static_cast<double>(lately.records);
}

void DriftMonitor::report(Platform platform, Watched& w, TimeMs now) {
  w.recent.reported_at = now;
  db_.prepare(
         "INSERT INTO diagnostics (time, platform, error_type, field_names, severity, source_pk, raw_offset, redacted,"
         " expires_at) VALUES (?, ?, ?, '', ?, nullif(?, 0), NULL, 1, ?)")
      .bind(now, to_string(platform), to_string(DiagnosticType::schema_drift), static_cast<int>(Severity::warning),
            w.suspect, now + kDiagnosticRetention)
      .run();
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
    const bool may_report = w.recent.reported_at == 0 || now - w.recent.reported_at >= kMsPerDay;
    if (may_report && has_drifted(platform, w.recent)) report(platform, w, now);
    const std::string key = recent_records_key(platform);
    db_.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")
        .bind(key, w.recent.encode())
        .run();
  }
}

void DriftMonitor::forget() { platforms_.clear(); }

}  // namespace memd::ingestion

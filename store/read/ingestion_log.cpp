#include "store/read/ingestion_log.hpp"

#include "store/read/row_filter.hpp"
#include "store/write/sources/drift_monitor.hpp"

#include <algorithm>

namespace memd::queries {

std::vector<IngestionLogEntry> ingestion_log(sqlite::Database& db, const IngestionLogQuery& query) {
  const auto platforms = platform_list(query.platforms);
  auto& q = db.prepare(
                  "SELECT l.time, l.platform, coalesce(s.path, ''), l.what, l.detail, l.bytes, l.events"
                  " FROM ingestion_log l LEFT JOIN sources s ON s.source_pk = l.source_pk"
                  " WHERE (?1 = '' OR instr(?1, ',' || l.platform || ',') > 0) AND l.time >= ?2"
                  " ORDER BY l.time DESC, l.log_pk DESC LIMIT ?3")
                .bind(platforms, query.since, std::max(query.limit, 0));
  std::vector<IngestionLogEntry> out;
  while (q.step()) {
    const auto platform = parse_platform(q.text(1));
    if (!platform) continue;
    out.push_back({q.int64(0), *platform, q.str(2), q.str(3), q.str(4), static_cast<std::uint64_t>(q.int64(5)),
                   static_cast<std::uint64_t>(q.int64(6))});
  }
  q.reset();
  return out;
}

SourceHealth source_health(sqlite::Database& db, int most_troubles) {
  SourceHealth out;
  auto& counts = db.prepare("SELECT state, count(*) FROM sources GROUP BY state");
  counts.bind();
  while (counts.step()) {
    switch (static_cast<SourceState>(counts.int64(0))) {
      case SourceState::active: out.active = counts.int64(1); break;
      case SourceState::gone: out.gone = counts.int64(1); break;
      case SourceState::unreachable: out.unreachable = counts.int64(1); break;
      case SourceState::quarantined: out.quarantined = counts.int64(1); break;
    }
  }
  counts.reset();
  auto& q = db.prepare(
                  "SELECT platform, path, state, state_reason, failures, retry_at FROM sources"
                  " WHERE state IN (2, 3) OR failures > 0 ORDER BY state DESC, platform, path LIMIT ?")
                .bind(most_troubles);
  while (q.step()) {
    const auto platform = parse_platform(q.text(0));
    if (!platform) continue;
    out.troubles.push_back({*platform, q.str(1), static_cast<SourceState>(q.int64(2)), q.str(3),
                            static_cast<std::uint32_t>(q.int64(4)), q.int64(5)});
  }
  q.reset();
  return out;
}

void add_unknown_shares(sqlite::Database& db, std::vector<PlatformTotals>& totals) {
  for (auto& t : totals) {
    const auto key = to_string(t.platform);
    auto& ledger =
        db.prepare(
              "SELECT coalesce(sum(c.records), 0), coalesce(sum(CASE WHEN c.disposition = 2 THEN c.records END), 0)"
              " FROM coverage c JOIN sources s ON s.source_pk = c.source_pk WHERE s.platform = ?")
            .bind(key);
    if (ledger.step()) t.records = ledger.int64(0), t.unknown_records = ledger.int64(1);
    ledger.reset();
    const std::string meta_key = ingestion::recent_records_key(t.platform);
    auto& recent = db.prepare("SELECT value FROM meta WHERE key = ?").bind(meta_key);
    if (recent.step()) {
      const auto sum = ingestion::RecentRecords::decode(recent.text(0)).total();
      t.recent_records = static_cast<std::int64_t>(sum.records);
      t.recent_unknown = static_cast<std::int64_t>(sum.unknown);
    }
    recent.reset();
    auto& drift = db.prepare(
                        "SELECT coalesce(max(time), 0) FROM diagnostics WHERE error_type = 'schema_drift' AND platform"
                        " = ?")
                      .bind(key);
    if (drift.step()) t.drift_at = drift.int64(0);
    drift.reset();
  }
}

}  // namespace memd::queries

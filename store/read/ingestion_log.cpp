#include "schemas/sql_text.hpp"
#include "store/read/ingestion.hpp"
#include "store/read/row_filter.hpp"

#include <algorithm>

namespace memd {

std::vector<IngestionLogEntry> IngestionLogQuery::run(sqlite::Database& db) const {
  const auto wanted = queries::platform_list(platforms);
  auto& q = db.prepare(
                  "SELECT l.time, l.platform, coalesce(s.path, ''), l.what, l.detail, l.bytes, l.events"
                  " FROM ingestion_log l LEFT JOIN sources s ON s.source_pk = l.source_pk"
                  " WHERE (?1 = '' OR instr(?1, ',' || l.platform || ',') > 0) AND l.time >= ?2"
                  " ORDER BY l.time DESC, l.log_pk DESC LIMIT ?3")
                .bind(wanted, since, std::max(limit, 0));
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

SourceHealth SourceHealthQuery::run(sqlite::Database& db) const {
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
  auto& q = db.prepare(sql_text("SELECT platform, path, state, state_reason, failures, retry_at FROM sources"
                                " WHERE state IN (SourceState::unreachable, SourceState::quarantined) OR failures > 0"
                                " ORDER BY state DESC, platform, path LIMIT ?"))
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

}  // namespace memd

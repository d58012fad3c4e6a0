#include "store/read/ingestion.hpp"

#include "schemas/sql_text.hpp"
#include "schemas/store_health.hpp"
#include "store/db/rows.hpp"
#include "store/read/recent_records.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/usage.hpp"

#include <algorithm>
#include <map>

namespace memd {

std::vector<CoverageRow> CoverageQuery::run(sqlite::Database& db) const {
  static const std::string of_sources =
      "SELECT src.platform, src.path, c.record_type, c.disposition, c.reason, c.records, c.bytes"
      " FROM sources src JOIN coverage c ON c.source_pk = src.source_pk"
      " WHERE ?1 = '' OR instr(?1, ',' || src.platform || ',') > 0"
      " ORDER BY src.platform, src.path, c.disposition, c.record_type, c.reason";
  static const std::string of_platforms =
      "SELECT src.platform, '', c.record_type, c.disposition, c.reason, sum(c.records), sum(c.bytes)"
      " FROM sources src JOIN coverage c ON c.source_pk = src.source_pk"
      " WHERE ?1 = '' OR instr(?1, ',' || src.platform || ',') > 0"
      " GROUP BY src.platform, c.disposition, c.record_type, c.reason"
      " ORDER BY src.platform, c.disposition, sum(c.bytes) DESC, c.record_type, c.reason";
  auto& q = db.query(by_source ? of_sources : of_platforms, queries::platform_list(platforms));
  std::vector<CoverageRow> out;
  while (q.step()) {
    CoverageRow r;
    sqlite::read(q, r.platform, r.path, r.entry.record_type, r.entry.disposition, r.entry.reason, r.entry.records,
                 r.entry.bytes);
    out.push_back(std::move(r));
  }
  return out;
}

namespace {

constexpr std::string_view kDiagnosticColumns =
    "d.diagnostic_pk, d.time, d.platform, d.error_type, d.field_names, d.severity, coalesce(src.path, ''),"
    " d.raw_offset, EXISTS (SELECT 1 FROM source_items i WHERE i.source_pk = d.source_pk)";

DiagnosticRow diagnostic_row(const sqlite::Statement& q) {
  DiagnosticRow r;
  sqlite::read(q, r.id, r.time, r.platform, r.error_type, r.field_names, r.severity, r.path, r.offset, r.is_item);
  return r;
}

}  // namespace

DiagnosticList DiagnosticQuery::run(sqlite::Database& db) const {
  const auto wanted = queries::platform_list(platforms);
  DiagnosticList out;
  out.total =
      db.query("SELECT count(*) FROM diagnostics WHERE ?1 = '' OR instr(?1, ',' || platform || ',') > 0", wanted)
          .value_or(0);
  static const std::string page = "SELECT " + std::string(kDiagnosticColumns) +
                                  " FROM diagnostics d LEFT JOIN sources src ON src.source_pk = d.source_pk"
                                  " WHERE ?1 = '' OR instr(?1, ',' || d.platform || ',') > 0"
                                  " ORDER BY d.time DESC, d.diagnostic_pk DESC LIMIT ?2 OFFSET ?3";
  auto& q = db.query(page, wanted, std::max(limit, 0), std::max(offset, 0));
  while (q.step())
    out.diagnostics.push_back(diagnostic_row(q));
  return out;
}

std::vector<DiagnosticGroup> DiagnosticGroupsQuery::run(sqlite::Database& db) const {
  // With max(), SQLite takes the other columns from the row with the maximum, here the newest.
  static const std::string groups = "SELECT " + std::string(kDiagnosticColumns) +
                                    ", count(*), max(d.time) FROM diagnostics d LEFT JOIN sources src"
                                    " ON src.source_pk = d.source_pk GROUP BY d.platform, d.error_type"
                                    " ORDER BY d.platform, d.error_type";
  std::vector<DiagnosticGroup> out;
  auto& q = db.query(groups);
  while (q.step())
    out.push_back({q.int64(9), diagnostic_row(q)});
  return out;
}

std::vector<IngestionLogEntry> IngestionLogQuery::run(sqlite::Database& db) const {
  const auto wanted = queries::platform_list(platforms);
  auto& q = db.query(
      "SELECT l.time, l.platform, coalesce(s.path, ''), l.what, l.detail, l.bytes, l.events"
      " FROM ingestion_log l LEFT JOIN sources s ON s.source_pk = l.source_pk"
      " WHERE (?1 = '' OR instr(?1, ',' || l.platform || ',') > 0) AND l.time >= ?2"
      " ORDER BY l.time DESC, l.log_pk DESC LIMIT ?3",
      wanted, since, std::max(limit, 0));
  std::vector<IngestionLogEntry> out;
  while (q.step()) {
    const auto platform = parse_platform(q.text(1));
    if (!platform) continue;
    out.push_back({q.int64(0), *platform, q.str(2), q.str(3), q.str(4), static_cast<std::uint64_t>(q.int64(5)),
                   static_cast<std::uint64_t>(q.int64(6))});
  }
  return out;
}

SourceHealth SourceHealthQuery::run(sqlite::Database& db) const {
  SourceHealth out;
  auto& counts = db.query("SELECT state, count(*), sum(failures > 0) FROM sources GROUP BY state");
  while (counts.step()) {
    switch (static_cast<SourceState>(counts.int64(0))) {
      case SourceState::active:
        out.active = counts.int64(1);
        out.failing = counts.int64(2);
        break;
      case SourceState::gone: out.gone = counts.int64(1); break;
      case SourceState::unreachable: out.unreachable = counts.int64(1); break;
      case SourceState::quarantined: out.quarantined = counts.int64(1); break;
    }
  }
  auto& q = db.query(sql_text("SELECT platform, path, state, state_reason, failures, retry_at FROM sources"
                              " WHERE state IN (SourceState::unreachable, SourceState::quarantined) OR failures > 0"
                              " ORDER BY state DESC, platform, path LIMIT ?"),
                     most_troubles);
  while (q.step()) {
    const auto platform = parse_platform(q.text(0));
    if (!platform) continue;
    out.troubles.push_back({*platform, q.str(1), static_cast<SourceState>(q.int64(2)), q.str(3),
                            static_cast<std::uint32_t>(q.int64(4)), q.int64(5)});
  }
  return out;
}

SourceListQuery::Answer SourceListQuery::run(sqlite::Database& db) const {
  const auto wanted = queries::platform_list(platforms);
  Answer out;
  out.total = db.query("SELECT count(*) FROM sources WHERE ?1 = '' OR instr(?1, ',' || platform || ',') > 0", wanted)
                  .value_or(0);
  auto& q = db.query(
      "SELECT platform, path, state, state_reason, failures, retry_at, size, cursor FROM sources"
      " WHERE ?1 = '' OR instr(?1, ',' || platform || ',') > 0"
      " ORDER BY platform, path LIMIT ?2 OFFSET ?3",
      wanted, limit, offset);
  while (q.step()) {
    const auto platform = parse_platform(q.text(0));
    if (!platform) continue;
    Row& row = out.rows.emplace_back();
    row.platform = *platform;
    sqlite::read_from(q, 1, row.path, row.state, row.reason, row.failures, row.retry_at, row.size, row.cursor);
  }
  return out;
}

ChangedSessionsQuery::Answer ChangedSessionsQuery::run(sqlite::Database& db) const {
  Answer out;
  auto& newest = db.prepare("SELECT coalesce(max(ingested_at), 0) FROM sessions");
  out.newest = newest.bind().value_or(out.newest);
  auto& q = db.query(
      "SELECT uid, platform, title, parent_uid, next_seq, next_exchange, ended_at, ingested_at"
      " FROM sessions WHERE ingested_at > ?1 ORDER BY ingested_at LIMIT ?2",
      after, limit);
  while (q.step()) {
    const auto platform = parse_platform(q.text(1));
    if (!platform) continue;
    out.rows.push_back({q.str(0), *platform, q.str(2), q.str(3), q.int64(4), q.int64(5), q.int64(6), q.int64(7)});
  }
  return out;
}

namespace {

template <class T>
using PerPlatform = std::map<Platform, T>;

template <class T>
T& row_of(PerPlatform<T>& rows, std::string_view key) {
  const Platform p = queries::platform_of(key);
  T& row = rows[p];
  row.platform = p;
  return row;
}

template <class T>
std::vector<T> present(const PerPlatform<T>& rows) {
  std::vector<T> out;
  for (const auto& [platform, row] : rows)
    out.push_back(row);
  return out;
}

std::uint64_t bytes(const sqlite::Statement& q, int column) { return static_cast<std::uint64_t>(q.int64(column)); }

// Sets the counts of unknown-shape records in `totals`.
void add_unknown_shares(sqlite::Database& db, std::vector<PlatformTotals>& totals) {
  for (auto& t : totals) {
    const auto key = to_string(t.platform);
    if (const auto row =
            db.query(sql_text("SELECT coalesce(sum(c.records), 0),"
                              " coalesce(sum(CASE WHEN c.disposition = Disposition::unknown THEN c.records END), 0)"
                              " FROM coverage c JOIN sources s ON s.source_pk = c.source_pk WHERE s.platform = ?"),
                     key)
                .row())
      t.records = row->int64(0), t.unknown_records = row->int64(1);
    const std::string meta_key = recent_records_key(t.platform);
    if (const auto row = db.query("SELECT value FROM meta WHERE key = ?", meta_key).row()) {
      const auto sum = RecentRecords::decode(row->text(0)).total();
      t.recent_records = static_cast<std::int64_t>(sum.records);
      t.recent_unknown_records = static_cast<std::int64_t>(sum.unknown);
    }
    t.drift_at = db.query(
                       "SELECT coalesce(max(time), 0) FROM diagnostics WHERE error_type = 'schema_drift' AND platform"
                       " = ?",
                       key)
                     .value_or(0);
  }
}

}  // namespace

std::vector<PlatformTotals> PlatformTotalsQuery::run(sqlite::Database& db) const {
  PerPlatform<PlatformTotals> rows;
  auto& sources =
      db.prepare("SELECT platform, count(*), sum(size), sum(max(size - cursor, 0)) FROM sources GROUP BY platform");
  while (sources.step()) {
    auto& r = row_of(rows, sources.text(0));
    r.sources = sources.int64(1);
    r.bytes_total = bytes(sources, 2);
    r.bytes_pending = bytes(sources, 3);
  }

  auto& ledger = db.prepare(
      "SELECT src.platform, c.disposition, sum(c.bytes) FROM coverage c"
      " JOIN sources src ON src.source_pk = c.source_pk GROUP BY src.platform, c.disposition");
  while (ledger.step()) {
    auto& r = row_of(rows, ledger.text(0));
    switch (static_cast<Disposition>(ledger.int64(1))) {
      case Disposition::indexed: r.bytes_indexed += bytes(ledger, 2); break;
      case Disposition::skipped: r.bytes_skipped += bytes(ledger, 2); break;
      case Disposition::unknown: r.bytes_unknown += bytes(ledger, 2); break;
    }
  }

  // Counts rows, because eviction and imports leave sessions whose stored counters are higher. Event numbers have no
  // gaps. Only exchanges that began with a human turn count: events before a session's first prompt belong to no turn.
  auto& sessions =
      db.prepare(sql_text("SELECT platform, kind = SessionKind::main, count(*),"
                          " sum(min(turns, (SELECT count(*) FROM exchanges x WHERE x.session_pk = s.session_pk))),"
                          " sum(coalesce((SELECT max(seq) + 1 FROM events e WHERE e.session_pk = s.session_pk)"
                          " - (SELECT min(seq) FROM events e WHERE e.session_pk = s.session_pk), 0)),"
                          " min(CASE WHEN started_at > 0 THEN started_at END), max(ended_at) FROM sessions s"
                          " GROUP BY platform, kind = SessionKind::main"));
  while (sessions.step()) {
    auto& r = row_of(rows, sessions.text(0));
    const bool main = sessions.int64(1) != 0;
    (main ? r.sessions : r.subagent_sessions) = sessions.int64(2);
    (main ? r.exchanges : r.subagent_exchanges) = sessions.int64(3);
    r.events += sessions.int64(4);
    if (!sessions.is_null(5) && (r.span.start == 0 || sessions.int64(5) < r.span.start))
      r.span.start = sessions.int64(5);
    r.span.end = std::max(r.span.end, sessions.int64(6));
  }

  for_each_response(db, {},
                    [&](const ResponseRow& r) { row_of(rows, to_string(r.session->platform)).tokens += r.tokens; });

  auto& diagnostics = db.prepare("SELECT platform, count(*) FROM diagnostics GROUP BY platform");
  while (diagnostics.step())
    row_of(rows, diagnostics.text(0)).diagnostics = diagnostics.int64(1);
  auto out = present(rows);
  add_unknown_shares(db, out);
  return out;
}

std::vector<AgentFactsQuery::Row> AgentFactsQuery::run(sqlite::Database& db) const {
  PerPlatform<Row> rows;
  auto& turns = db.prepare(
      "SELECT s.platform, min(x.ingested_at), max(x.ended_at) FROM exchanges x"
      " JOIN sessions s ON s.session_pk = x.session_pk GROUP BY s.platform");
  while (turns.step()) {
    auto& r = row_of(rows, turns.text(0));
    r.read_since = turns.int64(1);
    r.last_turn = turns.int64(2);
  }
  auto& versions = db.prepare(
      "SELECT platform, agent_version, max(ended_at) FROM sessions WHERE agent_version <> '' GROUP BY platform");
  while (versions.step())
    row_of(rows, versions.text(0)).version = versions.text(1);
  return present(rows);
}

std::vector<PlatformFreshness> PlatformFreshnessQuery::run(sqlite::Database& db) const {
  PerPlatform<PlatformFreshness> rows;
  // The unread rest of a missing file is lost, not pending.
  auto& sources =
      db.prepare(sql_text("SELECT platform, count(*), sum(size > cursor AND state <> SourceState::gone),"
                          " sum(CASE WHEN state <> SourceState::gone THEN max(size - cursor, 0) ELSE 0 END)"
                          " FROM sources GROUP BY platform"));
  while (sources.step()) {
    auto& r = row_of(rows, sources.text(0));
    sqlite::read_from(sources, 1, r.sources, r.sources_behind, r.bytes_behind);
  }
  auto& sessions = db.prepare("SELECT platform, max(ended_at) FROM sessions GROUP BY platform");
  while (sessions.step())
    row_of(rows, sessions.text(0)).last_event = sessions.int64(1);
  return present(rows);
}

}  // namespace memd

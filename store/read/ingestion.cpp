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
  return db.query(by_source ? of_sources : of_platforms, queries::platform_list(platforms))
      .all(sqlite::fields_of<CoverageRow>);
}

namespace {

constexpr std::string_view kDiagnosticColumns =
    "d.diagnostic_pk, d.time, d.platform, d.error_type, d.field_names, d.severity, coalesce(src.path, ''),"
    " d.raw_offset, EXISTS (SELECT 1 FROM source_items i WHERE i.source_pk = d.source_pk)";

// Leaves out rows of platforms that only a newer memd knows.
template <class T>
std::vector<T> of_known_platforms(sqlite::Statement& q, int platform_column) {
  std::vector<T> out;
  while (q.step())
    if (parse_platform(q.text(platform_column))) out.push_back(sqlite::fields_of<T>(q));
  return out;
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
  out.diagnostics =
      db.query(page, wanted, std::max(limit, 0), std::max(offset, 0)).all(sqlite::fields_of<DiagnosticRow>);
  return out;
}

std::vector<DiagnosticGroup> DiagnosticGroupsQuery::run(sqlite::Database& db) const {
  // With max(), SQLite takes the other columns from the row with the maximum, here the newest.
  static const std::string groups = "SELECT count(*), " + std::string(kDiagnosticColumns) +
                                    ", max(d.time) FROM diagnostics d LEFT JOIN sources src"
                                    " ON src.source_pk = d.source_pk GROUP BY d.platform, d.error_type"
                                    " ORDER BY d.platform, d.error_type";
  return db.query(groups).all(sqlite::fields_of<DiagnosticGroup>);
}

std::vector<IngestionLogEntry> IngestionLogQuery::run(sqlite::Database& db) const {
  const auto wanted = queries::platform_list(platforms);
  return of_known_platforms<IngestionLogEntry>(
      db.query("SELECT l.time, l.platform, coalesce(s.path, ''), l.what, l.detail, l.bytes, l.events"
               " FROM ingestion_log l LEFT JOIN sources s ON s.source_pk = l.source_pk"
               " WHERE (?1 = '' OR instr(?1, ',' || l.platform || ',') > 0) AND l.time >= ?2"
               " ORDER BY l.time DESC, l.log_pk DESC LIMIT ?3",
               wanted, since, std::max(limit, 0)),
      1);
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
  out.troubles = of_known_platforms<SourceTrouble>(
      db.query(sql_text("SELECT platform, path, state, state_reason, failures, retry_at FROM sources"
                        " WHERE state IN (SourceState::unreachable, SourceState::quarantined) OR failures > 0"
                        " ORDER BY state DESC, platform, path LIMIT ?"),
               most_troubles),
      0);
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
  out.rows = of_known_platforms<Row>(
      db.query("SELECT uid, platform, title, parent_uid, next_seq, next_exchange, ended_at, ingested_at"
               " FROM sessions WHERE ingested_at > ?1 ORDER BY ingested_at LIMIT ?2",
               after, limit),
      1);
  return out;
}

namespace {

template <class T>
using PerPlatform = std::map<Platform, T>;

template <class T>
T& row_of(PerPlatform<T>& rows, Platform p) {
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

// Reads the members of each platform's row from the columns after its key.
template <class T, class... Members>
void read_into(PerPlatform<T>& rows, sqlite::Statement& q, Members... members) {
  while (q.step()) {
    T& row = row_of(rows, queries::platform_of(q.text(0)));
    sqlite::read_from(q, 1, row.*members...);
  }
}

}  // namespace

std::vector<PlatformTotals> PlatformTotalsQuery::run(sqlite::Database& db) const {
  using T = PlatformTotals;
  PerPlatform<T> rows;
  read_into(
      rows,
      db.prepare("SELECT platform, count(*), sum(size), sum(max(size - cursor, 0)) FROM sources GROUP BY platform"),
      &T::sources, &T::bytes_total, &T::bytes_pending);
  read_into(rows,
            db.prepare(sql_text("SELECT src.platform, sum(c.bytes) FILTER (WHERE c.disposition = Disposition::indexed),"
                                " sum(c.bytes) FILTER (WHERE c.disposition = Disposition::skipped),"
                                " sum(c.bytes) FILTER (WHERE c.disposition = Disposition::unknown), sum(c.records),"
                                " sum(c.records) FILTER (WHERE c.disposition = Disposition::unknown)"
                                " FROM coverage c JOIN sources src ON src.source_pk = c.source_pk"
                                " GROUP BY src.platform")),
            &T::bytes_indexed, &T::bytes_skipped, &T::bytes_unknown, &T::records, &T::unknown_records);

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
    auto& r = row_of(rows, queries::platform_of(sessions.text(0)));
    const bool main = sessions.int64(1) != 0;
    (main ? r.sessions : r.subagent_sessions) = sessions.int64(2);
    (main ? r.exchanges : r.subagent_exchanges) = sessions.int64(3);
    r.events += sessions.int64(4);
    if (!sessions.is_null(5) && (r.span.start == 0 || sessions.int64(5) < r.span.start))
      r.span.start = sessions.int64(5);
    r.span.end = std::max(r.span.end, sessions.int64(6));
  }

  for_each_response(db, {}, [&](const ResponseRow& r) { row_of(rows, r.session->platform).tokens += r.tokens; });

  read_into(rows,
            db.prepare("SELECT platform, count(*), max(time) FILTER (WHERE error_type = 'schema_drift')"
                       " FROM diagnostics GROUP BY platform"),
            &T::diagnostics, &T::drift_at);

  for (auto& [platform, r] : rows)
    if (const auto row = db.query("SELECT value FROM meta WHERE key = ?", recent_records_key(platform)).row()) {
      const auto sum = RecentRecords::decode(row->text(0)).total();
      r.recent_records = static_cast<std::int64_t>(sum.records);
      r.recent_unknown_records = static_cast<std::int64_t>(sum.unknown);
    }
  return present(rows);
}

std::vector<AgentFactsQuery::Row> AgentFactsQuery::run(sqlite::Database& db) const {
  PerPlatform<Row> rows;
  read_into(rows,
            db.prepare("SELECT s.platform, min(x.ingested_at), max(x.ended_at) FROM exchanges x"
                       " JOIN sessions s ON s.session_pk = x.session_pk GROUP BY s.platform"),
            &Row::read_since, &Row::last_turn);
  read_into(
      rows,
      db.prepare(
          "SELECT platform, agent_version, max(ended_at) FROM sessions WHERE agent_version <> '' GROUP BY platform"),
      &Row::version);
  return present(rows);
}

std::vector<PlatformFreshness> PlatformFreshnessQuery::run(sqlite::Database& db) const {
  using P = PlatformFreshness;
  PerPlatform<P> rows;
  // The unread rest of a missing file is lost, not pending.
  read_into(rows,
            db.prepare(sql_text("SELECT platform, count(*), sum(size > cursor AND state <> SourceState::gone),"
                                " sum(CASE WHEN state <> SourceState::gone THEN max(size - cursor, 0) ELSE 0 END)"
                                " FROM sources GROUP BY platform")),
            &P::sources, &P::sources_behind, &P::bytes_behind);
  read_into(rows, db.prepare("SELECT platform, max(ended_at) FROM sessions GROUP BY platform"), &P::last_event);
  return present(rows);
}

}  // namespace memd

#include "store/read/observations.hpp"

#include "store/db/rows.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_titles.hpp"

namespace memd {
namespace {

// Columns of `observations o`, and for decisions of `decisions d` and of the observation `r` that reversed the
// decision.
constexpr std::string_view kObservationColumns =
    "o.session_pk, o.exchange_number, o.event_seq, o.time, o.type, o.summary, o.content, coalesce(o.tool, ''),"
    " o.metadata, d.kind, d.decided_by, d.chosen, d.rejected, d.reason,"
    " d.judged_by, r.exchange_number, o.observation_pk";
constexpr std::string_view kObservationTables =
    " FROM observations o LEFT JOIN decisions d ON d.observation_pk = o.observation_pk"
    " LEFT JOIN observations r ON r.observation_pk = d.reversed_by";
constexpr int kObservationColumnCount = 17;

Observation observation_row(const sqlite::Statement& q) {
  Observation o;
  sqlite::read(q, o.session_pk, o.exchange_number, o.event_seq, o.time);
  o.type = parse_observation_type(q.text(4)).value_or(ObservationType::discovery);
  sqlite::read_from(q, 5, o.summary, o.content, o.tool, o.metadata);
  if (!q.is_null(9))
    o.decision = Decision{{static_cast<DecisionKind>(q.int64(9)), static_cast<DecidedBy>(q.int64(10)), o.content,
                           q.str(11), q.str(12), q.str(13)},
                          q.str(14)};
  sqlite::read_from(q, 15, o.reversed_by, o.id);
  return o;
}

ExchangeId exchange_of(sqlite::Database& db, std::int64_t session_pk, std::optional<std::int64_t> number) {
  if (!number) return 0;
  return db.query("SELECT exchange_pk FROM exchanges WHERE session_pk = ? AND exchange_number = ?", session_pk, *number)
      .value_or(0);
}

}  // namespace

namespace queries {

std::vector<Observation> observations_of(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                                         std::int64_t last_number) {
  static const std::string sql = "SELECT " + std::string(kObservationColumns) + std::string(kObservationTables) +
                                 " WHERE o.session_pk = ?1 AND o.exchange_number BETWEEN ?2 AND ?3"
                                 " ORDER BY o.event_seq, o.observation_pk";
  return db.query(sql, session_pk, first_number, last_number).all(observation_row);
}

std::vector<ExchangeId> exchanges_observed(sqlite::Database& db, ObservationType type) {
  // CROSS JOIN fixes the join order: there are fewer observations of a type than exchanges.
  return db
      .query(
          "SELECT DISTINCT e.exchange_pk FROM observations o CROSS JOIN exchanges e"
          " ON e.session_pk = o.session_pk AND e.exchange_number = o.exchange_number WHERE o.type = ?1",
          to_string(type))
      .all([](const sqlite::Statement& q) -> ExchangeId { return q.int64(0); });
}

}  // namespace queries

std::vector<PlacedObservation> ObservationsOfQuery::run(sqlite::Database& db) const {
  static const std::string sql = "SELECT " + std::string(kObservationColumns) + std::string(kObservationTables) +
                                 " JOIN exchanges e ON e.session_pk = o.session_pk"
                                 " AND e.exchange_number = o.exchange_number WHERE e.exchange_pk = ?1 AND o.type = ?2"
                                 " ORDER BY o.event_seq, o.observation_pk";
  std::vector<PlacedObservation> out;
  auto& q = db.prepare(sql);
  for (const ExchangeId id : ids) {
    q.bind(id, to_string(type));
    while (q.step())
      out.push_back({observation_row(q), id, 0});
  }
  for (PlacedObservation& one : out)
    one.reversed_by = exchange_of(db, one.observation.session_pk, one.observation.reversed_by);
  return out;
}

ObservationList ObservationListQuery::run(sqlite::Database& db) const {
  const auto c = queries::conditions_of(db, filter);
  static const std::string tables = std::string(kObservationTables) +
                                    " JOIN sessions s ON s.session_pk = o.session_pk"
                                    " LEFT JOIN projects p ON p.project_pk = s.project_pk WHERE " +
                                    std::string(queries::kSessionConditions) +
                                    " AND (?5 = '' OR o.type = ?5) AND o.time >= ?6 AND (?7 = 0 OR o.time < ?7)";
  static const std::string count = "SELECT count(*)" + tables;
  static const std::string page = "SELECT " + std::string(kObservationColumns) +
                                  ", s.uid, s.platform, coalesce(p.name, '')," + queries::kTitleColumns.str() + tables +
                                  " ORDER BY o.time DESC, o.observation_pk DESC LIMIT ?8 OFFSET ?9";
  const std::string_view of_type = type ? to_string(*type) : std::string_view();
  ObservationList out;
  out.total =
      db.query(count, c.platforms, c.project, c.session_pk, c.include_subagents, of_type, filter.since, filter.until)
          .value_or(0);
  auto& q = db.query(page, c.platforms, c.project, c.session_pk, c.include_subagents, of_type, filter.since,
                     filter.until, limit, offset);
  while (q.step()) {
    constexpr int kNext = kObservationColumnCount;
    ObservationRow row;
    row.observation = observation_row(q);
    row.session_uid = q.str(kNext);
    row.platform = queries::platform_of(q.text(kNext + 1));
    row.project = q.str(kNext + 2);
    row.session_title = queries::session_title(q.text(kNext + 3), q.text(kNext + 4));
    out.observations.push_back(std::move(row));
  }
  for (ObservationRow& row : out.observations) {
    row.exchange_id = exchange_of(db, row.observation.session_pk, row.observation.exchange_number);
    row.reversed_by = exchange_of(db, row.observation.session_pk, row.observation.reversed_by);
  }
  return out;
}

}  // namespace memd

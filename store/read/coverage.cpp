#include "store/read/ingestion.hpp"

#include "store/read/row_filter.hpp"

#include <algorithm>

namespace memd {
namespace {

// Takes ?1 platforms, ?2 session_pk.
constexpr std::string_view kSourceConditions = R"(
  (?1 = '' OR instr(?1, ',' || src.platform || ',') > 0)
  AND (?2 = 0 OR src.session_uid = (SELECT uid FROM sessions WHERE session_pk = ?2)
       OR src.source_pk = (SELECT source_pk FROM sessions WHERE session_pk = ?2)))";

std::vector<CoverageRow> read_ledger(sqlite::Database& db, const std::string& sql, const QueryFilter& filter) {
  const auto c = queries::conditions_of(db, filter);
  auto& q = db.prepare(sql).bind(c.platforms, c.session_pk);
  std::vector<CoverageRow> out;
  while (q.step()) {
    CoverageRow r;
    r.platform = queries::platform_of(q.text(0));
    r.path = q.str(1);
    r.entry.record_type = q.str(2);
    r.entry.disposition = static_cast<Disposition>(q.int64(3));
    r.entry.reason = q.str(4);
    r.entry.records = static_cast<std::uint64_t>(q.int64(5));
    r.entry.bytes = static_cast<std::uint64_t>(q.int64(6));
    out.push_back(std::move(r));
  }
  q.reset();
  return out;
}

}  // namespace

std::vector<CoverageRow> CoverageQuery::run(sqlite::Database& db) const {
  static const std::string of_sources =
      "SELECT src.platform, src.path, c.record_type, c.disposition, c.reason, c.records, c.bytes"
      " FROM sources src JOIN coverage c ON c.source_pk = src.source_pk WHERE " +
      std::string(kSourceConditions) + " ORDER BY src.platform, src.path, c.disposition, c.record_type, c.reason";
  static const std::string of_platforms =
      "SELECT src.platform, '', c.record_type, c.disposition, c.reason, sum(c.records), sum(c.bytes)"
      " FROM sources src JOIN coverage c ON c.source_pk = src.source_pk WHERE " +
      std::string(kSourceConditions) +
      " GROUP BY src.platform, c.disposition, c.record_type, c.reason"
      " ORDER BY src.platform, c.disposition, sum(c.bytes) DESC, c.record_type, c.reason";
  return read_ledger(db, by_source ? of_sources : of_platforms, filter);
}

DiagnosticList DiagnosticQuery::run(sqlite::Database& db) const {
  const auto wanted = queries::platform_list(platforms);
  DiagnosticList out;
  auto& total = db.prepare("SELECT count(*) FROM diagnostics WHERE ?1 = '' OR instr(?1, ',' || platform || ',') > 0")
                    .bind(wanted);
  if (total.step()) out.total = total.int64(0);
  total.reset();
  auto& q = db.prepare(
                  "SELECT d.diagnostic_pk, d.time, d.platform, d.error_type, d.field_names, d.severity,"
                  " coalesce(src.path, ''), d.raw_offset"
                  " FROM diagnostics d LEFT JOIN sources src ON src.source_pk = d.source_pk"
                  " WHERE ?1 = '' OR instr(?1, ',' || d.platform || ',') > 0"
                  " ORDER BY d.time DESC, d.diagnostic_pk DESC LIMIT ?2 OFFSET ?3")
                .bind(wanted, std::max(limit, 0), std::max(offset, 0));
  while (q.step()) {
    DiagnosticRow r;
    r.id = q.int64(0);
    r.time = q.int64(1);
    r.platform = queries::platform_of(q.text(2));
    r.error_type = q.str(3);
    r.field_names = q.str(4);
    r.severity = static_cast<Severity>(q.int64(5));
    r.path = q.str(6);
    if (!q.is_null(7)) r.offset = q.int64(7);
    out.diagnostics.push_back(std::move(r));
  }
  q.reset();
  return out;
}

}  // namespace memd

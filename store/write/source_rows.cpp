#include "store/write/source_rows.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/event.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace memd::ingestion {
namespace {

// Maximum number of diagnostics of a type stored per slice: a new record type in a huge file would give millions of
// equal ones. The ledger counts all.
constexpr int kDiagnosticsOfAKind = 50;

}  // namespace

std::vector<Source> SourceRows::all() {
  std::vector<Source> out;
  auto& q = db_.query(
      "SELECT source_pk, platform, path, format, state, state_reason, device, inode, head_hash, head_length, size,"
      " mtime, cursor, generation, open_tail, session_uid, mark, failures, retry_at, proof FROM sources ORDER BY "
      "source_pk");
  while (q.step()) {
    const auto platform = parse_platform(q.text(1));
    if (!platform) continue;  // from a newer memd; its rows stay unchanged
    Source s;
    s.id = q.int64(0);
    s.platform = *platform;
    sqlite::read_from(q, 2, s.path, s.format, s.state, s.state_reason);
    s.identity = {from_sql(q.int64(6)), from_sql(q.int64(7)), from_sql(q.int64(8)),
                  static_cast<std::uint32_t>(q.int64(9))};
    sqlite::read_from(q, 10, s.size, s.mtime, s.cursor, s.generation, s.open_tail, s.session_uid, s.mark, s.failures,
                      s.retry_at);
    s.proof = q.blob(19);
    out.push_back(std::move(s));
  }
  return out;
}

// Does not use RETURNING: with it SQLite scans all tables that refer to sources, for each source.
void SourceRows::save(Source& s) {
  const auto known =
      db_.query("SELECT source_pk FROM sources WHERE platform = ? AND path = ?", to_string(s.platform), s.path)
          .number();
  if (known) s.id = *known;
  auto& save = db_.query(
      known ? "UPDATE sources SET state = ?3, state_reason = ?4, device = ?5, inode = ?6, head_hash = ?7,"
              " head_length = ?8, size = ?9, mtime = ?10, cursor = ?11, generation = ?12, open_tail = ?13, mark = ?14,"
              " failures = ?15, retry_at = ?16, session_uid = ?17, proof = ?18 WHERE platform = ?1 AND path = ?2"
            : "INSERT INTO sources (platform, path, state, state_reason, device, inode, head_hash, head_length, size,"
              " mtime, cursor, generation, open_tail, mark, failures, retry_at, session_uid, proof, format)"
              " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?17, ?18, ?19)",
      to_string(s.platform), s.path, static_cast<int>(s.state), s.state_reason, as_sql(s.identity.device),
      as_sql(s.identity.inode), as_sql(s.identity.head_hash), s.identity.head_length, s.size, s.mtime, s.cursor,
      s.generation, s.open_tail, s.mark, s.failures, s.retry_at, s.session_uid, std::as_bytes(std::span(s.proof)));
  if (!known) save.bind_at(19, static_cast<int>(s.format));
  save.run();
  if (!known) s.id = db_.last_insert_rowid();
}

void add_coverage(sqlite::Database& db, SourceId source, std::string_view record_type, Disposition disposition,
                  std::string_view reason, std::uint64_t records, std::uint64_t bytes) {
  db.run(
      "INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes",
      source, record_type, static_cast<int>(disposition), reason, records, bytes);
}

void SourceRows::add_coverage(SourceId source, const std::vector<CoverageEntry>& entries, bool restart) {
  if (restart) db_.run("DELETE FROM coverage WHERE source_pk = ?", source);
  for (const auto& e : entries)
    ingestion::add_coverage(db_, source, e.record_type, e.disposition, e.reason, e.records, e.bytes);
}

void SourceRows::add_diagnostics(const Source& source, const std::vector<Diagnostic>& diagnostics, bool in_place,
                                 TimeMs now) {
  auto& insert = db_.prepare(
      "INSERT INTO diagnostics (time, platform, error_type, field_names, severity, source_pk, raw_offset, redacted,"
      " expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)");
  // A record that is read again after each change gives the same diagnostic each time.
  auto& said = db_.prepare(
      "SELECT 1 FROM diagnostics WHERE source_pk = ?1 AND error_type = ?2 AND field_names = ?3"
      " AND raw_offset = coalesce(?4, raw_offset) LIMIT 1");
  std::map<DiagnosticType, int> written;
  std::set<std::pair<DiagnosticType, std::string>> shapes;
  for (const auto& d : diagnostics) {
    if (++written[d.type] > kDiagnosticsOfAKind) continue;
    std::string fields;
    for (const auto& f : d.fields) {
      if (!fields.empty()) fields += ',';
      fields += f.view();
    }
    // A client writes each of its unknown records again and again. The ledger counts them.
    const bool is_new_shape =
        d.type == DiagnosticType::unknown_record_type || d.type == DiagnosticType::unknown_field_value;
    if (is_new_shape && !shapes.emplace(d.type, fields).second) continue;
    if (in_place || is_new_shape) {
      const auto offset = is_new_shape ? std::nullopt : std::optional(as_sql(d.offset));
      const bool again = said.bind(source.id, to_string(d.type), fields, offset).any();
      if (again) continue;
    }
    const TimeMs time = d.time != 0 ? d.time : now;
    insert
        .bind(time, to_string(d.platform), to_string(d.type), fields, static_cast<int>(d.severity), source.id, d.offset,
              time + kDiagnosticRetention)
        .run();
  }
}

std::int64_t SourceRows::delete_expired_diagnostics(TimeMs now) {
  db_.run("DELETE FROM diagnostics WHERE expires_at <= ?", now);
  return db_.changes();
}

bool SourceRows::disable_capture(Platform platform, TimeMs now) {
  const auto key = to_string(platform);
  const auto type = to_string(DiagnosticType::contract_mismatch);
  // A session that reported its stop misses nothing. One that is merely silent is disabled too.
  db_.run(
      "UPDATE sessions SET capture_disabled_at = ?2 WHERE platform = ?1 AND capture_disabled_at = 0"
      " AND stopped_at = 0 AND next_seq > 0",
      key, now);
  const bool said_today =
      db_.query("SELECT 1 FROM diagnostics WHERE error_type = ?1 AND time BETWEEN ?2 AND ?3 AND platform = ?4", type,
                now - kMsPerDay + 1, now, key)
          .any();
  if (said_today) return false;
  db_.run(
      "INSERT INTO diagnostics (time, platform, error_type, field_names, severity, redacted, expires_at)"
      " VALUES (?, ?, ?, 'contract_version', ?, 1, ?)",
      now, key, type, static_cast<int>(Severity::error), now + kDiagnosticRetention);
  return true;
}

void SourceRows::disable_all_capture(TimeMs now) {
  db_.run(
      "UPDATE sessions SET capture_disabled_at = ? WHERE capture_disabled_at = 0 AND stopped_at = 0 AND next_seq > "
      "0",
      now);
}

void SourceRows::enable_capture(TimeMs since) {
  db_.run("UPDATE sessions SET capture_disabled_at = 0 WHERE capture_disabled_at = ?", since);
}

}  // namespace memd::ingestion

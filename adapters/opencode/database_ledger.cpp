// What a first look at a database counts: the bytes of all rows that are shown, and of all that are not.
#include "adapters/opencode/database_changes.hpp"

#include <array>

namespace memd::opencode {
namespace {

constexpr std::string_view kBytes = "count(*), coalesce(sum(length(CAST(data AS BLOB)) + length(CAST(id AS BLOB))), 0)";

struct Total {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

Result<Total> read_total(sqlite::Query& query) {
  MEMD_TRY_ASSIGN(const bool there, query.step());
  Total total;
  if (there) total = {static_cast<std::uint64_t>(query.integer(0)), static_cast<std::uint64_t>(query.integer(1))};
  query.reset();
  return total;
}

Result<Total> total_of(const sqlite::ReadOnlyDatabase& database, const std::string& from) {
  MEMD_TRY_ASSIGN(auto query, database.prepare("SELECT " + std::string(kBytes) + " FROM " + from));
  return read_total(query);
}

void add_rest(SnapshotReader::Plan& plan, std::string_view type, std::string_view reason, const Total& total) {
  if (total.rows == 0) return;
  for (auto& line : plan.rest) {
    if (line.record_type != type || line.reason != reason) continue;
    line.records += total.rows;
    line.bytes += total.bytes;
    return;
  }
  plan.rest.push_back({std::string(type), Disposition::skipped, std::string(reason), total.rows, total.bytes});
}

}  // namespace

Result<void> DatabaseChanges::read_all(SnapshotReader::Plan& plan, ReadMark& mark) const {
  const auto& database = stored_.database();
  MEMD_TRY_ASSIGN(const auto sessions, list_sessions());
  MEMD_TRY(read_position(mark, sessions));
  for (const auto& session : sessions) {
    plan.sessions.push_back(session.id);
    MEMD_TRY_ASSIGN(const auto found, stored_.find(session.id));
    if (!found) continue;
    plan.size += found->row_bytes;
    if (!found->row.revert.empty()) MEMD_TRY(count_reverted(*found, plan));
  }
  for (const std::string table : {"message", "part"}) {
    if (!stored_.has_parts()) break;
    MEMD_TRY_ASSIGN(const Total total, total_of(database, table));
    plan.size += total.bytes;
  }
  if (stored_.has_records()) {
    MEMD_TRY_ASSIGN(const Total total, total_of(database, "session_message"));
    plan.size += total.bytes;
    MEMD_TRY(count_superseded(plan));
  }
  MEMD_TRY(count_other_tables(plan));
  mark.size = plan.size;
  return {};
}

Result<void> DatabaseChanges::count_superseded(SnapshotReader::Plan& plan) const {
  if (!stored_.has_parts()) return {};
  for (const std::string table : {"message", "part"}) {
    MEMD_TRY_ASSIGN(
        const Total total,
        total_of(stored_.database(), table + " WHERE session_id IN (SELECT DISTINCT session_id FROM session_message)"));
    add_rest(plan, table, "superseded", total);
  }
  return {};
}

Result<void> DatabaseChanges::count_reverted(const StoredSessions::Found& session, SnapshotReader::Plan& plan) const {
  const RevertPoint revert = read_revert(session.row.revert);
  if (revert.message_id.empty()) return {};
  const auto count = [&](const std::string& from) -> Result<void> {
    MEMD_TRY_ASSIGN(auto query, stored_.database().prepare("SELECT " + std::string(kBytes) + " FROM " + from));
    query.bind(1, session.row.id).bind(2, revert.message_id).bind(3, revert.part_id);
    MEMD_TRY_ASSIGN(const Total total, read_total(query));
    add_rest(plan, "(reverted)", "reverted", total);
    return {};
  };
  if (session.in_records)
    return count(
        "session_message WHERE session_id = ?1 AND ?3 = ?3 AND"
        " seq >= (SELECT seq FROM session_message WHERE id = ?2)");
  if (!stored_.has_parts()) return {};
  MEMD_TRY(count("message WHERE session_id = ?1 AND (id > ?2 OR (id = ?2 AND ?3 = ''))"));
  return count("part WHERE session_id = ?1 AND (message_id > ?2 OR (message_id = ?2 AND (?3 = '' OR id >= ?3)))");
}

// Only counted: some of them hold tokens and keys.
Result<void> DatabaseChanges::count_other_tables(SnapshotReader::Plan& plan) const {
  constexpr std::array<std::string_view, 5> read{"session", "session_v2", "message", "part", "session_message"};
  MEMD_TRY_ASSIGN(auto names, stored_.database().prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND"
                                                         " sql LIKE 'CREATE TABLE%' ORDER BY name"));
  for (;;) {
    MEMD_TRY_ASSIGN(const bool more, names.step());
    if (!more) return {};
    const std::string name(names.text(0));
    if (std::find(read.begin(), read.end(), name) != read.end() || name.find('"') != std::string::npos) continue;
    MEMD_TRY_ASSIGN(auto count, stored_.database().prepare("SELECT count(*), 0 FROM \"" + name + "\""));
    MEMD_TRY_ASSIGN(const Total total, read_total(count));
    add_rest(plan, name, "not_conversation", total);
  }
}

}  // namespace memd::opencode

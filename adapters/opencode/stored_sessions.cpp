#include "adapters/opencode/stored_sessions.hpp"

#include <array>

namespace memd::opencode {
namespace {

// In the order of SessionRow; columns that a version does not have are NULL.
constexpr std::array<std::string_view, 12> kColumns{
    "id",           "parent_id",         "directory",         "title", "version", "agent", "fork_session_id", "revert",
    "time_created", "summary_additions", "summary_deletions", "cost"};

}  // namespace

Result<std::string> StoredSessions::select_row(const std::string& table) const {
  std::string sql = "SELECT ";
  for (const auto column : kColumns) {
    MEMD_TRY_ASSIGN(const bool there, database_->has_column(table, column));
    sql.append(sql.size() > 7 ? ", " : "").append(there ? column : "NULL");
  }
  return sql + " FROM " + table + " WHERE id = ?1";
}

Result<StoredSessions> StoredSessions::open(const sqlite::ReadOnlyDatabase& database) {
  StoredSessions stored(database);
  for (const std::string table : {"session_v2", "session"}) {
    MEMD_TRY_ASSIGN(const bool there, database.has_column(table, "time_updated"));
    if (!there) continue;
    MEMD_TRY_ASSIGN(std::string select, stored.select_row(table));
    stored.tables_.push_back(table);
    stored.selects_.push_back(std::move(select));
  }
  MEMD_TRY_ASSIGN(const bool parts, database.has_column("part", "message_id"));
  MEMD_TRY_ASSIGN(const bool messages, database.has_column("message", "session_id"));
  stored.has_parts_ = parts && messages;
  MEMD_TRY_ASSIGN(stored.has_events_, database.has_column("event", "aggregate_id"));
  MEMD_TRY_ASSIGN(const bool records, database.has_column("session_message", "seq"));
  if (records) {
    MEMD_TRY_ASSIGN(auto any, database.prepare("SELECT 1 FROM session_message LIMIT 1"));
    MEMD_TRY_ASSIGN(stored.has_records_, any.step());
  }
  return stored;
}

Result<std::optional<StoredSessions::Found>> StoredSessions::find(std::string_view session_id) const {
  for (const auto& select : selects_) {
    MEMD_TRY_ASSIGN(auto query, database_->prepare(select));
    MEMD_TRY_ASSIGN(const bool there, query.bind(1, session_id).step());
    if (!there) continue;
    Found found;
    SessionRow& row = found.row;
    int column = 0;
    for (std::string* field : {&row.id, &row.parent_id, &row.directory, &row.title, &row.version, &row.agent,
                               &row.forked_from, &row.revert}) {
      *field = query.text(column++);
      found.row_bytes += field->size();
    }
    for (std::int64_t* field : {&row.created, &row.additions, &row.deletions})
      *field = query.integer(column++);
    if (query.real(column) > 0) row.cost = query.text(column);
    if (has_records_) {
      MEMD_TRY_ASSIGN(auto any, database_->prepare("SELECT 1 FROM session_message WHERE session_id = ?1 LIMIT 1"));
      MEMD_TRY_ASSIGN(found.in_records, any.bind(1, session_id).step());
    }
    return std::optional(std::move(found));
  }
  return std::optional<Found>();
}

}  // namespace memd::opencode

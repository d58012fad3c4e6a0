#include "adapters/opencode/database_changes.hpp"

#include "adapters/mark_fields.hpp"
#include "adapters/names.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace memd::opencode {

namespace {

// In the order of SessionRow; columns missing in a version are NULL.
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

// Changes since a mark.

namespace {

constexpr std::string_view kMarkVersion = "oc2";
constexpr std::size_t kActiveSessions = 8;
constexpr int kTailMessages = 4;

std::string generation_of(const StoredSessions& stored) {
  std::string name;
  for (const auto& table : stored.tables())
    name.append(table).append("+");
  return name.append(stored.has_parts() ? "1" : "")
      .append(stored.has_records() ? "2" : "")
      .append(stored.has_events() ? "e" : "");
}

Result<std::int64_t> largest_row(const sqlite::ReadOnlyDatabase& database, const std::string& table) {
  MEMD_TRY_ASSIGN(auto query, database.prepare("SELECT max(rowid) FROM " + table));
  MEMD_TRY_ASSIGN(const bool there, query.step());
  return there ? query.integer(0) : 0;
}

// Adds the sessions (column 0) of the rows after `row`, and their bytes (column 1).
Result<void> add_sessions(const sqlite::ReadOnlyDatabase& database, std::string_view sql, std::int64_t row,
                          std::set<std::string>& sessions, std::uint64_t& bytes) {
  MEMD_TRY_ASSIGN(auto query, database.prepare(sql));
  query.bind(1, row);
  return query.each([&] {
    sessions.emplace(query.text(0));
    bytes += static_cast<std::uint64_t>(query.integer(1));
  });
}

// Whatever changed last, a session is read before the forks that repeat it.
void sort_by_age(std::vector<DatabaseChanges::Touched>& sessions) {
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const auto& a, const auto& b) { return a.created < b.created; });
}

}  // namespace

std::string ReadMark::text() const {
  std::string out(kMarkVersion);
  out.append("|").append(generation);
  for (const std::int64_t n : {session_time, message_row, part_row, record_row, event_row})
    out.append("|").append(std::to_string(n));
  out.append("|").append(std::to_string(size)).append("|");
  for (const auto& [id, hash] : tails)
    out.append(std::to_string(id)).append("=").append(std::to_string(hash)).append(",");
  return out.append("|").append(change);
}

ReadMark ReadMark::parse(std::string_view text) {
  ReadMark mark;
  if (ascii::take_until(text, '|') != kMarkVersion) return mark;
  mark.generation = ascii::take_until(text, '|');
  for (std::int64_t* n : {&mark.session_time, &mark.message_row, &mark.part_row, &mark.record_row, &mark.event_row})
    take_number(text, '|', *n);
  take_number(text, '|', mark.size);
  for (std::string_view tails = ascii::take_until(text, '|'); !tails.empty();) {
    std::uint64_t id = 0;
    take_number(tails, '=', id);
    take_number(tails, ',', mark.tails[id]);
  }
  mark.change = text;
  return mark;
}

Result<std::vector<DatabaseChanges::Touched>> DatabaseChanges::list_sessions() const {
  std::map<std::string, Touched> newest;
  for (const auto& table : stored_.tables()) {
    MEMD_TRY_ASSIGN(const bool has_created, stored_.database().has_column(table, "time_created"));
    MEMD_TRY_ASSIGN(auto query,
                    stored_.database().prepare("SELECT id, time_updated, " +
                                               std::string(has_created ? "time_created" : "0") + " FROM " + table));
    MEMD_TRY(query.each([&] {
      std::string id(query.text(0));
      newest.try_emplace(id, Touched{id, query.integer(1), query.integer(2)});
    }));
  }
  std::vector<Touched> sessions;
  sessions.reserve(newest.size());
  for (const auto& [id, session] : newest)
    sessions.push_back(session);
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const Touched& a, const Touched& b) { return a.updated < b.updated; });
  return sessions;
}

Result<std::uint64_t> DatabaseChanges::hash_tail(std::string_view session_id) const {
  const auto& database = stored_.database();
  std::uint64_t hash = 1;
  const auto add = [&](const sqlite::Query& row) {
    hash = hash64(row.text(0), hash_combine(hash, static_cast<std::uint64_t>(row.integer(1))));
  };
  const std::string limit = " LIMIT " + std::to_string(kTailMessages);
  if (stored_.has_parts()) {
    MEMD_TRY_ASSIGN(auto messages, database.prepare("SELECT id, time_updated FROM message WHERE session_id = ?1"
                                                    " ORDER BY time_created DESC, id DESC" +
                                                    limit));
    MEMD_TRY_ASSIGN(auto parts,
                    database.prepare("SELECT id, time_updated FROM part WHERE message_id = ?1 ORDER BY id"));
    messages.bind(1, session_id);
    MEMD_TRY(messages.each([&]() -> Result<void> {
      add(messages);
      parts.bind(1, messages.text(0));
      return parts.each([&] { add(parts); });
    }));
  }
  if (stored_.has_records()) {
    MEMD_TRY_ASSIGN(auto records, database.prepare("SELECT id, time_updated FROM session_message WHERE session_id = ?1"
                                                   " ORDER BY seq DESC" +
                                                   limit));
    records.bind(1, session_id);
    MEMD_TRY(records.each([&] { add(records); }));
  }
  return hash;
}

Result<void> DatabaseChanges::read_position(ReadMark& mark, const std::vector<Touched>& sessions) const {
  const auto& database = stored_.database();
  mark.generation = generation_of(stored_);
  if (!sessions.empty()) mark.session_time = sessions.back().updated;
  if (stored_.has_parts()) {
    MEMD_TRY_ASSIGN(mark.message_row, largest_row(database, "message"));
    MEMD_TRY_ASSIGN(mark.part_row, largest_row(database, "part"));
  }
  if (stored_.has_records()) {
    MEMD_TRY_ASSIGN(mark.record_row, largest_row(database, "session_message"));
  }
  if (stored_.has_events()) {
    MEMD_TRY_ASSIGN(mark.event_row, largest_row(database, "event"));
  }
  for (std::size_t i = sessions.size(); i > 0 && mark.tails.size() < kActiveSessions; --i) {
    MEMD_TRY_ASSIGN(mark.tails[hash64(sessions[i - 1].id)], hash_tail(sessions[i - 1].id));
  }
  return {};
}

Result<bool> DatabaseChanges::read_since(const ReadMark& since, SnapshotReader::Plan& plan, ReadMark& mark) const {
  MEMD_TRY_ASSIGN(auto sessions, list_sessions());
  MEMD_TRY(read_position(mark, sessions));
  sort_by_age(sessions);
  if (since.generation != mark.generation || since.message_row > mark.message_row || since.part_row > mark.part_row ||
      since.record_row > mark.record_row || since.event_row > mark.event_row)
    return false;

  const auto& database = stored_.database();
  std::set<std::string> changed;
  std::uint64_t added = 0;
  if (stored_.has_parts()) {
    MEMD_TRY(add_sessions(database,
                          "SELECT session_id, length(CAST(data AS BLOB)) + length(id) FROM message WHERE rowid > ?1",
                          since.message_row, changed, added));
    MEMD_TRY(add_sessions(database,
                          "SELECT session_id, length(CAST(data AS BLOB)) + length(id) FROM part WHERE rowid > ?1",
                          since.part_row, changed, added));
  }
  if (stored_.has_records())
    MEMD_TRY(add_sessions(
        database, "SELECT session_id, length(CAST(data AS BLOB)) + length(id) FROM session_message WHERE rowid > ?1",
        since.record_row, changed, added));
  if (stored_.has_events())
    MEMD_TRY(add_sessions(database, "SELECT DISTINCT aggregate_id, 0 FROM event WHERE rowid > ?1", since.event_row,
                          changed, added));
  for (const auto& session : sessions) {
    const auto tail = mark.tails.find(hash64(session.id));
    if (tail == mark.tails.end()) continue;
    const auto before = since.tails.find(tail->first);
    if (before == since.tails.end() || before->second != tail->second) changed.insert(session.id);
  }
  for (const auto& session : sessions)
    if (session.updated >= since.session_time || changed.contains(session.id)) plan.sessions.push_back(session.id);
  mark.size = since.size + added;
  plan.size = mark.size;
  return true;
}

// The counts of a full pass: the bytes of all rows that belong to items, and of all others.

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

// Adds an entry also for kinds without rows, because they may have had some before.
void add_rest(SnapshotReader::Plan& plan, std::string_view type, std::string_view reason, const Total& total) {
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
  MEMD_TRY_ASSIGN(auto sessions, list_sessions());
  MEMD_TRY(read_position(mark, sessions));
  sort_by_age(sessions);
  add_rest(plan, "(reverted)", "reverted", {});
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
    const std::string id = table == "message" ? "id" : "message_id";
    MEMD_TRY_ASSIGN(const Total total,
                    total_of(stored_.database(), table + " WHERE " + id + " IN (SELECT id FROM session_message)"));
    add_rest(plan, "superseded/" + table, "superseded", total);
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

// The rows are only counted: some contain tokens and keys.
Result<void> DatabaseChanges::count_other_tables(SnapshotReader::Plan& plan) const {
  constexpr Names kRead("session session_v2 message part session_message");
  MEMD_TRY_ASSIGN(auto names, stored_.database().prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND"
                                                         " sql LIKE 'CREATE TABLE%' ORDER BY name"));
  return names.each([&]() -> Result<void> {
    const std::string name(names.text(0));
    if (kRead.has(name) || name.find('"') != std::string::npos) return {};
    MEMD_TRY_ASSIGN(auto count, stored_.database().prepare("SELECT count(*), 0 FROM \"" + name + "\""));
    MEMD_TRY_ASSIGN(const Total total, read_total(count));
    add_rest(plan, "table/" + name, "not_conversation", total);
    return {};
  });
}

}  // namespace memd::opencode

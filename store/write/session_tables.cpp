#include "store/write/session_tables.hpp"

#include "schemas/base/hash.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/write/identity_index.hpp"

#include <algorithm>
#include <utility>

namespace memd::transfer {
namespace {

constexpr Reference kSession{"session_pk", "", "(SELECT session_pk FROM sessions WHERE uid = ?1)"};
constexpr Reference kProject{"project_pk", "(SELECT p.identity_key FROM projects p WHERE p.project_pk = t.project_pk)",
                             "(SELECT project_pk FROM projects WHERE identity_key = %)"};
constexpr Reference kOwnProject{"own_project_pk",
                                "(SELECT p.identity_key FROM projects p WHERE p.project_pk = t.own_project_pk)",
                                "(SELECT project_pk FROM projects WHERE identity_key = %)"};
constexpr Reference kSource{
    "source_pk", "(SELECT o.platform || ':' || o.path FROM sources o WHERE o.source_pk = t.source_pk)",
    "(SELECT source_pk FROM sources WHERE platform = substr(%, 1, instr(%, ':') - 1) AND path = substr(%, instr(%, ':')"
    " + 1))"};
constexpr Reference kPath{"path_pk", "(SELECT p.path FROM paths p WHERE p.path_pk = t.path_pk)",
                          "(SELECT path_pk FROM paths WHERE path = %)"};
constexpr Reference kTool{"tool_pk", "(SELECT n.tool FROM tools n WHERE n.tool_pk = t.tool_pk)",
                          "(SELECT tool_pk FROM tools WHERE tool = %)"};
constexpr Reference kModel{"model_pk", "coalesce((SELECT n.model FROM models n WHERE n.model_pk = t.model_pk), '')",
                           "coalesce((SELECT model_pk FROM models WHERE model = %), 0)"};
constexpr std::string_view kFindDecision =
    "(SELECT observation_pk FROM observations WHERE session_pk = (SELECT session_pk FROM sessions WHERE uid = ?1)"
    " AND type = 'decision' AND content_hash = %)";
constexpr Reference kDecision{"observation_pk",
                              "(SELECT o.content_hash FROM observations o WHERE o.observation_pk = t.observation_pk)",
                              kFindDecision};
constexpr Reference kReversal{
    "reversed_by", "(SELECT o.content_hash FROM observations o WHERE o.observation_pk = t.reversed_by)", kFindDecision};
// Keys that are assigned anew.
constexpr Reference kNewProject{"project_pk", "", ""};
constexpr Reference kNewJoin{"joined_pk", "", ""};
constexpr Reference kNewSource{"source_pk", "", ""};
constexpr Reference kNewSession{"session_pk", "", ""};
constexpr Reference kNewPath{"path_pk", "", ""};
constexpr Reference kNewTool{"tool_pk", "", ""};
constexpr Reference kNewModel{"model_pk", "", ""};
constexpr Reference kNewObservation{"observation_pk", "", ""};

constexpr Reference kOfProjects[] = {kNewProject, kNewJoin};
// Not kept: without checksums a source is judged as one of an older store.
constexpr Reference kProof{"proof", "", ""};
constexpr Reference kOfSources[] = {kNewSource, kProof};
constexpr Reference kOfSessions[] = {kNewSession, kProject, kOwnProject, kSource};
constexpr Reference kOfSourceRows[] = {kSource};
constexpr Reference kOfSession[] = {kSession};
constexpr Reference kOfPaths[] = {kNewPath};
constexpr Reference kOfFiles[] = {kSession, kPath};
constexpr Reference kOfTools[] = {kNewTool};
constexpr Reference kOfModels[] = {kNewModel};
constexpr Reference kOfUsage[] = {kSession, kModel};
constexpr Reference kOfCalls[] = {kTool};
constexpr Reference kOfObservations[] = {kNewObservation, kSession};
constexpr Reference kOfDecisions[] = {kDecision, kReversal};

constexpr std::string_view kOfThisSession = "t.session_pk = (SELECT session_pk FROM sessions WHERE uid = ?1)";
constexpr SessionTable kKeptTables[] = {
    {"projects",
     "t.project_pk IN (SELECT project_pk FROM sessions WHERE uid = ?1 UNION SELECT own_project_pk FROM sessions WHERE"
     " uid = ?1)",
     kOfProjects},
    {"sources", "t.session_uid = ?1 OR t.source_pk IN (SELECT source_pk FROM source_items WHERE session_uid = ?1)",
     kOfSources, true},
    {"sessions", "t.uid = ?1", kOfSessions},
    // For a shared source only the lines without items; the lines of items are summed up separately
    // (select_shared_ledger).
    {"coverage",
     "t.source_pk IN (SELECT o.source_pk FROM sources o WHERE o.session_uid = ?1"
     " OR o.source_pk IN (SELECT source_pk FROM source_items WHERE session_uid = ?1) AND NOT EXISTS"
     " (SELECT 1 FROM source_items i WHERE i.source_pk = o.source_pk AND i.session_uid <> ?1))"
     " OR t.source_pk IN (SELECT source_pk FROM source_items WHERE session_uid = ?1) AND NOT EXISTS"
     " (SELECT 1 FROM source_items i WHERE i.source_pk = t.source_pk AND i.record_type = t.record_type"
     " AND i.disposition = t.disposition AND i.reason = t.reason)",
     kOfSourceRows, true},
    {"source_items", "t.session_uid = ?1", kOfSourceRows, true},
    {"session_digests", kOfThisSession, kOfSession},
    {"digest_errors", kOfThisSession, kOfSession},
    {"exchanges", kOfThisSession, kOfSession},
    {"paths",
     "t.path_pk IN (SELECT path_pk FROM exchange_files WHERE session_pk = (SELECT session_pk FROM sessions WHERE uid = "
     "?1))",
     kOfPaths},
    {"exchange_files", kOfThisSession, kOfFiles},
    {"tools",
     "t.tool_pk IN (SELECT c.tool_pk FROM exchange_tools c JOIN exchanges x USING (exchange_pk) WHERE x.session_pk ="
     " (SELECT session_pk FROM sessions WHERE uid = ?1))",
     kOfTools},
    {"exchange_tools",
     "t.exchange_pk IN (SELECT exchange_pk FROM exchanges WHERE session_pk = (SELECT session_pk FROM sessions WHERE uid"
     " = ?1))",
     kOfCalls},
    {"observations", kOfThisSession, kOfObservations},
    {"decisions",
     "t.observation_pk IN (SELECT observation_pk FROM observations WHERE session_pk = (SELECT session_pk FROM sessions"
     " WHERE uid = ?1))",
     kOfDecisions},
    {"models",
     "t.model_pk IN (SELECT model_pk FROM responses WHERE session_pk = (SELECT session_pk FROM sessions WHERE uid = ?1)"
     " UNION SELECT model_pk FROM session_accounts WHERE session_pk = (SELECT session_pk FROM sessions WHERE uid ="
     " ?1))",
     kOfModels},
    {"responses", kOfThisSession, kOfUsage},
    {"session_accounts", kOfThisSession, kOfUsage},
    // Of no session: kept with each, because a session's records are gone once it is evicted.
    {"rate_limits", "t.platform = (SELECT platform FROM sessions WHERE uid = ?1)", {}},
    {"commits", kOfThisSession, kOfSession},
    {"pull_requests", kOfThisSession, kOfSession},
};

constexpr Reference kOfEvents[] = {kSession, kPath, kSource};
constexpr SessionTable kEventTables[] = {
    {"paths",
     "t.path_pk IN (SELECT path_pk FROM events WHERE session_pk = (SELECT session_pk FROM sessions WHERE uid = ?1))",
     kOfPaths},
    {"events", kOfThisSession, kOfEvents},
    {"silent_records", kOfThisSession, kOfSession},
    {"commands", kOfThisSession, kOfSession},
    {"command_results", kOfThisSession, kOfSession},
    {"todo_items", kOfThisSession, kOfSession},
    {"abandoned_exchanges", kOfThisSession, kOfSession},
};

const Reference* reference_in(const SessionTable& table, std::string_view column) {
  const auto it = std::find_if(table.references.begin(), table.references.end(),
                               [&](const Reference& r) { return r.column == column; });
  return it == table.references.end() ? nullptr : &*it;
}

// Returns the columns of a table except generated ones.
std::vector<std::string> columns_of(sqlite::Database& db, std::string_view table) {
  return db.query("SELECT name FROM pragma_table_info(?)", table).all(sqlite::first_text);
}

std::string replaced(std::string_view text, std::string_view by) {
  std::string out;
  for (const char c : text)
    c == '%' ? out.append(by) : out.append(1, c);
  return out;
}

}  // namespace

std::span<const SessionTable> kept_tables() { return kKeptTables; }
std::span<const SessionTable> event_tables() { return kEventTables; }

Selection selection_of(sqlite::Database& db, const SessionTable& table) {
  Selection out;
  std::string list;
  for (std::string& column : columns_of(db, table.table)) {
    const Reference* reference = reference_in(table, column);
    if (reference != nullptr && reference->write.empty()) continue;
    list.append(list.empty() ? "" : ", ").append(reference != nullptr ? reference->write : "t." + column);
    out.columns.push_back(std::move(column));
  }
  out.sql = "SELECT " + list + " FROM " + std::string(table.table) + " t WHERE " + std::string(table.which);
  return out;
}

Insertion insertion_of(sqlite::Database& db, const SessionTable& table, const std::vector<std::string>& written) {
  Insertion out;
  const auto known = columns_of(db, table.table);
  std::string columns;
  std::string values;
  const auto add = [&](std::string_view column, std::string_view value) {
    columns.append(columns.empty() ? "" : ", ").append(column);
    values.append(values.empty() ? "" : ", ").append(value);
  };
  for (const Reference& r : table.references)
    if (r.write.empty() && !r.find.empty()) add(r.column, r.find);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::string& column = written[i];
    if (std::find(known.begin(), known.end(), column) == known.end()) continue;
    const Reference* reference = reference_in(table, column);
    out.places.push_back(i);
    const std::string parameter = "?" + std::to_string(out.places.size() + 1);
    add(column, reference != nullptr ? replaced(reference->find, parameter) : parameter);
  }
  out.sql = "INSERT INTO " + std::string(table.table) + " (" + columns + ") SELECT " + values +
            " WHERE ?1 <> '' ON CONFLICT DO NOTHING";
  return out;
}

std::string find_source(std::string_view parameter) { return replaced(kSource.find, parameter); }

void index_texts(sqlite::Database& db, ExchangeId id) {
  db.run(
      "INSERT INTO exchanges_fts (rowid, user_message, interventions, assistant_response, tool_text)"
      " SELECT exchange_pk, coalesce(user_message, ''), coalesce(interventions, ''), coalesce(assistant_response, "
      "''),"
      " coalesce(tool_text, '') FROM exchanges WHERE exchange_pk = ?",
      id);
  enrichment::enqueue(db, id);
}

void copy_rows(sqlite::Statement& from, sqlite::Statement& into, const std::vector<std::size_t>& places,
               std::string_view uid) {
  while (from.step()) {
    into.bind_at(1, uid);
    for (std::size_t i = 0; i < places.size(); ++i)
      sqlite3_bind_value(into.handle(), static_cast<int>(i) + 2,
                         sqlite3_column_value(from.handle(), static_cast<int>(places[i])));
    into.run();
  }
}

namespace {

void copy_table(sqlite::Database& from, sqlite::Database& to, const SessionTable& table, std::string_view uid) {
  const auto selection = selection_of(from, table);
  const auto insertion = insertion_of(to, table, selection.columns);
  copy_rows(from.query(selection.sql, uid), to.prepare(insertion.sql), insertion.places, uid);
}

// Adds the session's sources as unread: a replay reads them, and give_ledgers() sets how far they were read.
void name_sources(sqlite::Database& from, sqlite::Database& to, std::string_view uid) {
  copy_rows(
      from.query("SELECT platform, path, format, session_uid FROM sources WHERE source_pk IN (SELECT source_pk FROM"
                 " events WHERE session_pk = (SELECT session_pk FROM sessions WHERE uid = ?1) UNION"
                 " SELECT source_pk FROM sessions WHERE uid = ?1)",
                 uid),
      to.prepare("INSERT INTO sources (platform, path, format, session_uid) SELECT ?2, ?3, ?4, ?5 WHERE ?1 <> ''"
                 " ON CONFLICT DO NOTHING"),
      {0, 1, 2, 3}, uid);
}

}  // namespace

void add_identities(sqlite::Database& to, std::int64_t session_pk) {
  assembly::IdentityIndex identities(to);
  const auto add_all = [&](std::string_view sql) {
    const auto found =
        to.query(sql, session_pk).all([](const auto& q) { return std::pair(from_sql(q.int64(0)), q.int64(1)); });
    for (const auto& [identity, place] : found)
      if (!identities.find(identity)) identities.add(identity, session_pk, place);
  };
  add_all("SELECT event_id, seq FROM events WHERE session_pk = ?");
  add_all("SELECT (response_key | 1) - (response_key & 1), exchange_number FROM responses WHERE session_pk = ?");
  identities.flush();
}

std::vector<ExchangeId> copy_session(sqlite::Database& from, sqlite::Database& to, const std::string& uid) {
  name_sources(from, to, uid);
  for (const auto& tables : {kept_tables(), event_tables()})
    for (const SessionTable& table : tables)
      if (!table.is_of_sources) copy_table(from, to, table, uid);
  const std::int64_t session = to.query("SELECT session_pk FROM sessions WHERE uid = ?", uid).value_or(0);
  if (session == 0) return {};
  add_identities(to, session);
  auto ids = to.query("SELECT exchange_pk FROM exchanges WHERE session_pk = ? ORDER BY exchange_pk", session)
                 .all(sqlite::first_number);
  for (const ExchangeId id : ids)
    index_texts(to, id);
  return ids;
}

}  // namespace memd::transfer

#include "store/team/team_database.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "store/team/libpq.hpp"
#include "store/team/vector_columns.hpp"

#include <poll.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

namespace memd::team {

#ifdef MEMD_LIBPQ

namespace {

constexpr std::string_view kFilesAtOnce = "32";

void append_number(std::string& out, std::integral auto number) {
  for (std::size_t i = sizeof number; i > 0; --i)
    out += static_cast<char>(number >> 8 * (i - 1) & 0xff);
}

// Writes bigint[], text[] or bytea[] in PostgreSQL's binary form, which it need not parse: number of dimensions, 0,
// type of the elements, their number, the first index; then each with its length.
template <class Rows, class ValueOf>
std::string array_of(const Rows& rows, const ValueOf& value_of) {
  constexpr std::int32_t kBytea = 17;
  constexpr std::int32_t kBigint = 20;
  constexpr std::int32_t kText = 25;
  using Value = std::remove_cvref_t<decltype(std::invoke(value_of, rows.front()))>;
  constexpr bool is_text = std::is_same_v<Value, std::string>;
  std::string out;
  for (const std::int32_t one : {rows.empty() ? 0 : 1, 0,
                                 is_text                     ? kText
                                 : std::is_integral_v<Value> ? kBigint
                                                             : kBytea})
    append_number(out, one);
  if (rows.empty()) return out;
  append_number(out, static_cast<std::int32_t>(rows.size()));
  append_number(out, std::int32_t{1});
  for (const auto& row : rows) {
    const auto& value = std::invoke(value_of, row);
    if constexpr (is_text) {
      append_number(out, static_cast<std::int32_t>(value.size()));
      std::replace_copy(value.begin(), value.end(), std::back_inserter(out), '\0', ' ');  // no text there has one
    } else if constexpr (std::is_integral_v<Value>) {
      append_number(out, std::int32_t{sizeof(std::int64_t)});
      append_number(out, std::int64_t{value});
    } else {
      append_number(out, static_cast<std::int32_t>(value.size()));
      out.append(value.begin(), value.end());
    }
  }
  return out;
}

// The arrays that memd.put_vectors takes.
std::vector<std::string> vector_columns(const std::vector<TeamExchange>& rows) {
  struct One {
    const TeamExchange* row;
    const std::vector<std::int8_t>* vector;
  };
  std::vector<One> all;
  for (const TeamExchange& row : rows)
    for (const auto& vector : row.vectors)
      all.push_back({&row, &vector});
  const auto square = [](const One& one) {
    return std::inner_product(one.vector->begin(), one.vector->end(), one.vector->begin(), std::int64_t{0});
  };
  return {array_of(all, [](const One& one) { return one.row->number; }),
          array_of(all, [](const One& one) { return one.row->started_at; }), array_of(all, square),
          array_of(all, [](const One& one) { return "x" + signs_of(*one.vector); }),
          array_of(
              all, [](const One& one) -> auto& { return *one.vector; })};
}

}  // namespace

class TeamDatabase::Connection {
 public:
  Connection(ConnectionPtr connection, std::chrono::milliseconds patience)
      : connection_(std::move(connection)), patience_(patience) {
    libpq().set_nonblocking(connection_.get(), 1);
  }
  // False after an error, too: a transaction that failed is not to be gone on with.
  bool is_up() const { return !has_failed_ && libpq().status(connection_.get()) == CONNECTION_OK; }

  struct Param {
    std::string_view text;
    bool is_bytes = false;
    bool is_null = false;
  };
  Result<TeamRows> run(const char* sql, const std::vector<Param>& params = {}) {
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
    std::vector<std::string> texts;  // with an end
    texts.reserve(params.size());
    for (const Param& p : params) {
      if (!p.is_bytes) texts.emplace_back(p.text);
      values.push_back(p.is_null ? nullptr : p.is_bytes ? p.text.data() : texts.back().c_str());
      lengths.push_back(static_cast<int>(p.text.size()));
      formats.push_back(p.is_bytes ? 1 : 0);
    }
    return answer(libpq().send_query_params(connection_.get(), sql, static_cast<int>(params.size()), nullptr,
                                            values.data(), lengths.data(), formats.data(), 1));
  }
  // Several statements, as one transaction.
  Result<TeamRows> run_script(const std::string& sql) {
    return answer(libpq().send_query(connection_.get(), sql.c_str()));
  }

  Error trouble(PGresult* result) const { return trouble_of(connection_.get(), result); }

  // The connection is to that process itself: a pooler has numbers of its own.
  bool is_to(std::int64_t process) const { return libpq().server_process(connection_.get()) == process; }
  int socket() const { return libpq().socket(connection_.get()); }
  bool listens(const std::string& project) const { return heard_.contains(project); }
  // What was told before is not known.
  void listens_to(const std::string& project, std::string channel) { heard_[project] = {std::move(channel), true}; }
  // Whether something was told and not looked at. True also if nobody listens.
  bool has_heard(const std::string& project) {
    if (libpq().consume_input(connection_.get()) == 0) has_failed_ = true;
    while (const NoticePtr notice{libpq().notifies(connection_.get())}) {
      if (is_to(notice->be_pid)) continue;  // of this connection's own changes
      for (auto& [of, heard] : heard_)
        heard.is_new = heard.is_new || heard.channel == notice->relname;
    }
    const auto at = heard_.find(project);
    return !is_up() || at == heard_.end() || at->second.is_new;
  }
  void look_at(const std::string& project) {
    (void)has_heard(project);
    if (const auto at = heard_.find(project); at != heard_.end()) at->second.is_new = false;
  }

 private:
  struct Heard {
    std::string channel;
    bool is_new = false;
  };

  Result<TeamRows> answer(int is_sent) {
    has_failed_ = true;
    TeamRows last(nullptr);
    while (is_sent == 1) {
      MEMD_TRY(wait());
      TeamRows next(libpq().get_result(connection_.get()));
      if (next.get() == nullptr) break;
      last = std::move(next);
    }
    const auto status = libpq().result_status(last.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return trouble(last.get());
    has_failed_ = false;
    return last;
  }
  // Sends what is to be sent, and waits for a result or the last one. Fails when nothing comes or goes for too long: a
  // network that was cut does not say so.
  Result<void> wait() const {
    while (true) {
      const int unsent = libpq().flush(connection_.get());
      if (unsent < 0) return trouble(nullptr);
      if (unsent == 0 && libpq().is_busy(connection_.get()) == 0) return {};
      pollfd one{libpq().socket(connection_.get()), static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0};
      if (::poll(&one, 1, static_cast<int>(patience_.count())) == 0)
        return Error(Errc::unavailable, "the database does not answer any more");
      if ((one.revents & ~POLLOUT) != 0 && libpq().consume_input(connection_.get()) == 0) return trouble(nullptr);
    }
  }

  ConnectionPtr connection_;
  const std::chrono::milliseconds patience_;
  bool has_failed_ = false;
  std::map<std::string, Heard> heard_;  // by project
};

Result<TeamDatabase::Connection*> TeamDatabase::connection() {
  if (connection_ && connection_->is_up()) return connection_.get();
  if (libpq().is_missing_one) return no_library();
  auto made = std::make_unique<Connection>(connect_to(url_, false), patience_);
  if (!made->is_up()) return made->trouble(nullptr);
  connection_ = std::move(made);
  return connection_.get();
}

Result<std::optional<TeamShare>> TeamDatabase::look(const std::string& project) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  db->look_at(project);
  MEMD_TRY_ASSIGN(const TeamRows known, db->run("SELECT (to_regclass('memd.exchanges') IS NOT NULL)::text,"
                                                " (pg_get_userbyid(n.nspowner) = current_user)::text,"
                                                " (to_regclass('memd.vectors') IS NOT NULL)::text FROM pg_namespace n"
                                                " WHERE n.nspname = 'memd' AND to_regclass('memd.files') IS NOT NULL"));
  if (known.size() == 0) return std::optional<TeamShare>();
  MEMD_TRY_ASSIGN(
      const TeamRows rows,
      db->run("SELECT share_no::text, last_change::text,"
              " ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::text,"
              " (memd.level_of(share_no) <> 'reader')::text, (SELECT count(*) FROM memd.migrations)::text,"
              " concat_ws('/', (SELECT system_identifier FROM pg_control_system()),"
              " (SELECT oid FROM pg_database WHERE datname = current_database()), 'memd'::regnamespace::oid)"
              " FROM memd.shares WHERE project = $1",
              {{project}}));
  if (rows.size() == 0) return std::optional<TeamShare>();
  const bool is_current = rows.number(0, 4) >= std::ssize(embedded::team_migrations());
  return std::optional<TeamShare>({rows.number(0, 0), rows.number(0, 1), std::string(rows.text(0, 5)),
                                   rows.number(0, 2), rows.text(0, 3) == "true", known.text(0, 0) == "true",
                                   known.text(0, 2) == "true", is_current, known.text(0, 1) == "true"});
}

Result<bool> TeamDatabase::listen(const std::string& project) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  if (db->listens(project)) return true;
  MEMD_TRY_ASSIGN(const TeamRows rows, db->run("SELECT 'memd_' || share_no, pg_backend_pid()::text FROM memd.shares"
                                               " WHERE project = $1 AND to_regproc('memd.tell') IS NOT NULL",
                                               {{project}}));
  if (rows.size() == 0 || !db->is_to(rows.number(0, 1))) return false;
  std::string channel(rows.text(0, 0));
  MEMD_TRY(db->run_script("LISTEN " + channel));
  db->listens_to(project, std::move(channel));
  return true;
}

bool TeamDatabase::may_have_changed(const std::string& project) {
  return !connection_ || !connection_->is_up() || connection_->has_heard(project);
}

int TeamDatabase::socket() const { return connection_ ? connection_->socket() : -1; }

Result<TeamShare> TeamDatabase::make(const std::string& project) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  MEMD_TRY_ASSIGN(const TeamRows known, db->run("SELECT 1::text WHERE to_regclass('memd.files') IS NOT NULL"));
  if (known.size() == 0) MEMD_TRY(update());
  MEMD_TRY(db->run("SELECT memd.make_share($1)::text", {{project}}));
  MEMD_TRY_ASSIGN(const auto made, look(project));
  if (!made) return Error(Errc::permission, "the database does not show the share that was made");
  return *made;
}

Result<std::vector<TeamFile>> TeamDatabase::files_of_others(const TeamShare& share, const std::string& machine,
                                                            std::int64_t after, std::int64_t until, bool segments) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  const std::string from = std::to_string(after);
  const std::string last = std::to_string(until);
  MEMD_TRY_ASSIGN(const TeamRows rows,
                  db->run("SELECT path, machine, change::text, content FROM memd.files f"
                          " WHERE share_no = $1::bigint AND change > $2::bigint"
                          " AND change <= $3::bigint AND machine <> $4"
                          " AND ($6::boolean OR NOT starts_with(path, 'segments/'))"
                          " ORDER BY f.change LIMIT $5::bigint",  // without f. it is the text: 10 before 9
                          {{number}, {from}, {last}, {machine}, {kFilesAtOnce}, {segments ? "t" : "f"}}));
  std::vector<TeamFile> out;
  for (int i = 0; i < rows.size(); ++i)
    out.push_back({std::string(rows.text(i, 0)), std::string(rows.text(i, 1)), rows.number(i, 2), rows.is_null(i, 3),
                   std::string(rows.text(i, 3))});
  return out;
}

Result<std::vector<TeamFile>> TeamDatabase::own_files(const TeamShare& share, const std::string& machine) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY_ASSIGN(
      const TeamRows rows,
      db->run("SELECT path, change::text, (content IS NULL)::text, CASE WHEN starts_with(path, 'members/') THEN content"
              " END FROM memd.files WHERE share_no = $1::bigint AND machine = $2",
              {{number}, {machine}}));
  std::vector<TeamFile> out;
  for (int i = 0; i < rows.size(); ++i)
    out.push_back({std::string(rows.text(i, 0)), machine, rows.number(i, 1), rows.text(i, 2) == "true",
                   std::string(rows.text(i, 3))});
  return out;
}

Result<std::optional<std::string>> TeamDatabase::content(const TeamShare& share, const std::string& path) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY_ASSIGN(const TeamRows rows,
                  db->run("SELECT content FROM memd.files WHERE share_no = $1::bigint AND path = $2"
                          " AND content IS NOT NULL",
                          {{number}, {path}}));
  if (rows.size() == 0) return std::optional<std::string>();
  return std::optional<std::string>(rows.text(0, 0));
}

Result<TeamMark> TeamDatabase::newest(const TeamShare& share) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY_ASSIGN(const TeamRows rows, db->run("SELECT path, change::text FROM memd.files WHERE share_no = $1::bigint"
                                               " ORDER BY change DESC LIMIT 1",
                                               {{number}}));
  return rows.size() == 0 ? TeamMark() : TeamMark{std::string(rows.text(0, 0)), rows.number(0, 1)};
}

Result<bool> TeamDatabase::has(const TeamShare& share, const TeamMark& mark) {
  if (mark.change == 0) return true;
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  const std::string change = std::to_string(mark.change);
  // A segment is written once, and may be removed; other files are written again.
  MEMD_TRY_ASSIGN(
      const TeamRows rows,
      db->run("SELECT 1 FROM memd.files WHERE share_no = $1::bigint AND path = $2 AND (change = $3::bigint OR"
              " (change > $3::bigint AND (content IS NULL OR NOT starts_with(path, 'segments/'))))",
              {{number}, {mark.path}, {change}}));
  return rows.size() > 0;
}

Result<std::vector<TeamHash>> TeamDatabase::hashes(const TeamShare& share) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY_ASSIGN(const TeamRows rows,
                  db->run("SELECT path, encode(sha256(content), 'hex'), change::text FROM memd.files"
                          " WHERE share_no = $1::bigint AND content IS NOT NULL ORDER BY path",
                          {{number}}));
  std::vector<TeamHash> out;
  for (int i = 0; i < rows.size(); ++i)
    out.push_back({std::string(rows.text(i, 0)), std::string(rows.text(i, 1)), rows.number(i, 2)});
  return out;
}

Result<std::int64_t> TeamDatabase::write(const TeamShare& share, const std::vector<TeamFile>& files) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  // Whose network is cut must not hold up the others.
  MEMD_TRY(db->run_script("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 30000"));
  std::int64_t newest = 0;
  for (const TeamFile& file : files) {
    MEMD_TRY_ASSIGN(const TeamRows written,
                    db->run("SELECT memd.put($1::bigint, $2, $3, $4::bytea)::text",
                            {{number}, {file.path}, {file.machine}, {file.content, true, file.is_removed}}));
    if (!file.machine.empty()) newest = written.number(0, 0);
  }
  MEMD_TRY(db->run("COMMIT"));
  return newest;
}

Result<void> TeamDatabase::update() {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  for (const auto& migration : embedded::team_migrations()) {
    MEMD_TRY_ASSIGN(const TeamRows schema, db->run("SELECT 1::text WHERE to_regclass('memd.migrations') IS NOT NULL"));
    if (schema.size() > 0) {
      MEMD_TRY_ASSIGN(const TeamRows known,
                      db->run("SELECT name FROM memd.migrations WHERE name = $1", {{migration.name}}));
      if (known.size() > 0) continue;
    }
    MEMD_TRY(db->run_script(std::string(migration.text)));
  }
  return {};
}

Result<std::vector<TeamSession>> TeamDatabase::sessions(const TeamShare& share, const std::string& machine) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY_ASSIGN(const TeamRows rows, db->run("SELECT session_uid, mark, is_out::text FROM memd.sessions"
                                               " WHERE share_no = $1::bigint AND (machine = $2 OR is_out)",
                                               {{number}, {machine}}));
  std::vector<TeamSession> out(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) {
    TeamSession& session = out[static_cast<std::size_t>(i)];
    session.uid = rows.text(i, 0);
    session.mark = rows.text(i, 1);
    session.is_out = rows.text(i, 2) == "true";
  }
  return out;
}

Result<std::map<std::int64_t, std::int64_t>> TeamDatabase::row_hashes(const TeamShare& share,
                                                                      const std::string& machine,
                                                                      const std::string& session_uid) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY_ASSIGN(const TeamRows rows, db->run("SELECT number::text, hash::text FROM memd.exchanges"
                                               " WHERE share_no = $1::bigint AND session_uid = $2 AND machine = $3",
                                               {{number}, {session_uid}, {machine}}));
  std::map<std::int64_t, std::int64_t> out;
  for (int i = 0; i < rows.size(); ++i)
    out[rows.number(i, 0)] = rows.number(i, 1);
  return out;
}

Result<std::set<std::int64_t>> TeamDatabase::rows_with_vectors(const TeamShare& share, const std::string& machine,
                                                               const std::string& session_uid,
                                                               const std::string& model) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  const std::string of_model = std::to_string(number_of_model(model));
  MEMD_TRY_ASSIGN(const TeamRows rows,
                  db->run("SELECT DISTINCT v.number::text FROM memd.vectors v JOIN memd.sessions s USING (session_no)"
                          " WHERE v.share_no = $1::bigint AND s.share_no = $1::bigint AND s.session_uid = $2"
                          " AND s.machine = $3 AND v.model = $4::bigint",
                          {{number}, {session_uid}, {machine}, {of_model}}));
  std::set<std::int64_t> out;
  for (int i = 0; i < rows.size(); ++i)
    out.insert(rows.number(i, 0));
  return out;
}

Result<void> TeamDatabase::write_rows(const TeamShare& share, const std::string& machine, const TeamSession& session,
                                      const std::vector<std::int64_t>& gone, const std::vector<TeamExchange>& rows,
                                      const std::string& model) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  // Of what belongs to the rows, with their numbers.
  const auto parts = [&](auto TeamExchange::*member) {
    std::vector<std::pair<std::int64_t, const typename std::remove_cvref_t<decltype((rows[0].*member)[0])>*>> out;
    for (const TeamExchange& row : rows)
      for (const auto& part : row.*member)
        out.emplace_back(row.number, &part);
    return out;
  };
  const auto changes = parts(&TeamExchange::changes);
  const auto observations = parts(&TeamExchange::observations);
  const auto number_of_row = [](const auto& part) { return part.first; };
  const std::vector<std::string> columns{array_of(gone, std::identity()),
                                         array_of(rows, &TeamExchange::number),
                                         array_of(rows, &TeamExchange::hash),
                                         array_of(rows, &TeamExchange::started_at),
                                         array_of(rows, &TeamExchange::length),
                                         array_of(rows, &TeamExchange::words),
                                         array_of(rows, &TeamExchange::question),
                                         array_of(rows, &TeamExchange::answer),
                                         array_of(changes, number_of_row),
                                         array_of(
                                             changes, [](const auto& c) -> auto& { return c.second->path; }),
                                         array_of(changes, [](const auto& c) { return c.second->lines_added; }),
                                         array_of(changes, [](const auto& c) { return c.second->lines_removed; }),
                                         array_of(observations, number_of_row),
                                         array_of(
                                             observations, [](const auto& o) -> auto& { return o.second->type; }),
                                         array_of(observations, [](const auto& o) { return o.second->time; }),
                                         array_of(
                                             observations, [](const auto& o) -> auto& { return o.second->content; })};
  const std::string number = std::to_string(share.number);
  std::vector<Connection::Param> params{{number},        {machine},       {session.uid}, {session.who},
                                        {session.agent}, {session.title}, {session.mark}};
  for (const std::string& array : columns)
    params.push_back({array, true});
  std::string sql =
      "SELECT memd.put_rows($1::bigint, $2, $3, $4, $5, $6, $7, $8::bigint[]::integer[], $9::bigint[]::integer[],"
      " $10::bigint[], $11::bigint[], $12::bigint[]::integer[], $13::text[], $14::text[], $15::text[],"
      " $16::bigint[]::integer[], $17::text[], $18::bigint[]::integer[], $19::bigint[]::integer[],"
      " $20::bigint[]::integer[], $21::text[], $22::bigint[], $23::text[])::text";
  std::vector<std::string> vectors;
  const std::string of_model = std::to_string(number_of_model(model));
  if (!model.empty()) {
    vectors = vector_columns(rows);
    params.push_back({of_model});
    for (const std::string& array : vectors)
      params.push_back({array, true});
    sql = "WITH rows AS MATERIALIZED (" + sql +
          ") SELECT memd.put_vectors($1::bigint, $2, $3, $24::bigint, $25::bigint[]::integer[], $26::bigint[],"
          " $27::bigint[]::integer[], $28::text[], $29::bytea[])::text FROM rows";
  }
  MEMD_TRY(db->run(sql.c_str(), params));
  return {};
}

Result<void> TeamDatabase::write_vectors(const TeamShare& share, const std::string& machine,
                                         const std::string& session_uid, const std::vector<TeamExchange>& rows,
                                         const std::string& model) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  const std::string of_model = std::to_string(number_of_model(model));
  const std::vector<std::string> columns = vector_columns(rows);
  std::vector<Connection::Param> params{{number}, {machine}, {session_uid}, {of_model}};
  for (const std::string& array : columns)
    params.push_back({array, true});
  MEMD_TRY(
      db->run("SELECT memd.put_vectors($1::bigint, $2, $3, $4::bigint, $5::bigint[]::integer[], $6::bigint[],"
              " $7::bigint[]::integer[], $8::text[], $9::bytea[])::text",
              params));
  return {};
}

Result<std::map<std::string, std::string>> TeamDatabase::memory_hashes(const TeamShare& share,
                                                                       const std::string& machine) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY_ASSIGN(const TeamRows rows,
                  db->run("SELECT slug, hash FROM memd.memories WHERE share_no = $1::bigint AND machine = $2",
                          {{number}, {machine}}));
  std::map<std::string, std::string> out;
  for (int i = 0; i < rows.size(); ++i)
    out.emplace(rows.text(i, 0), rows.text(i, 1));
  return out;
}

Result<void> TeamDatabase::write_memories(const TeamShare& share, const std::string& machine, const std::string& who,
                                          const std::vector<std::string>& gone,
                                          const std::vector<TeamMemory>& memories) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::vector<std::string> columns{
      array_of(gone, std::identity()),          array_of(memories, &TeamMemory::slug),
      array_of(memories, &TeamMemory::hash),    array_of(memories, &TeamMemory::type),
      array_of(memories, &TeamMemory::title),   array_of(memories, &TeamMemory::tags),
      array_of(memories, &TeamMemory::updated), array_of(memories, &TeamMemory::length),
      array_of(memories, &TeamMemory::words),   array_of(memories, &TeamMemory::content)};
  const std::string number = std::to_string(share.number);
  std::vector<Connection::Param> params{{number}, {machine}, {who}};
  for (const std::string& array : columns)
    params.push_back({array, true});
  MEMD_TRY(
      db->run("SELECT memd.put_memories($1::bigint, $2, $3, $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],"
              " $9::text[], $10::bigint[], $11::bigint[]::integer[], $12::text[], $13::text[])::text",
              params));
  return {};
}

Result<void> TeamDatabase::take_out(const TeamShare& share, const std::string& machine,
                                    const std::string& session_uid) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY(db->run("SELECT memd.take_out($1::bigint, $2, $3)::text", {{number}, {machine}, {session_uid}}));
  return {};
}

#else

class TeamDatabase::Connection {};

namespace {

Error no_libpq() {
  return Error(Errc::unsupported,
               "this memd was built without PostgreSQL: use the one of a Debian package, or a "
               "directory or user@host as the place");
}

}  // namespace

Result<std::optional<TeamShare>> TeamDatabase::look(const std::string&) { return no_libpq(); }
Result<bool> TeamDatabase::listen(const std::string&) { return no_libpq(); }
bool TeamDatabase::may_have_changed(const std::string&) { return true; }
int TeamDatabase::socket() const { return -1; }
Result<TeamShare> TeamDatabase::make(const std::string&) { return no_libpq(); }
Result<std::vector<TeamFile>> TeamDatabase::files_of_others(const TeamShare&, const std::string&, std::int64_t,
                                                            std::int64_t, bool) {
  return no_libpq();
}
Result<std::vector<TeamFile>> TeamDatabase::own_files(const TeamShare&, const std::string&) { return no_libpq(); }
Result<std::optional<std::string>> TeamDatabase::content(const TeamShare&, const std::string&) { return no_libpq(); }
Result<std::vector<TeamHash>> TeamDatabase::hashes(const TeamShare&) { return no_libpq(); }
Result<TeamMark> TeamDatabase::newest(const TeamShare&) { return no_libpq(); }
Result<bool> TeamDatabase::has(const TeamShare&, const TeamMark&) { return no_libpq(); }
Result<std::int64_t> TeamDatabase::write(const TeamShare&, const std::vector<TeamFile>&) { return no_libpq(); }
Result<void> TeamDatabase::update() { return no_libpq(); }
Result<std::vector<TeamSession>> TeamDatabase::sessions(const TeamShare&, const std::string&) { return no_libpq(); }
Result<std::map<std::int64_t, std::int64_t>> TeamDatabase::row_hashes(const TeamShare&, const std::string&,
                                                                      const std::string&) {
  return no_libpq();
}
Result<std::set<std::int64_t>> TeamDatabase::rows_with_vectors(const TeamShare&, const std::string&, const std::string&,
                                                               const std::string&) {
  return no_libpq();
}
Result<void> TeamDatabase::write_rows(const TeamShare&, const std::string&, const TeamSession&,
                                      const std::vector<std::int64_t>&, const std::vector<TeamExchange>&,
                                      const std::string&) {
  return no_libpq();
}
Result<void> TeamDatabase::write_vectors(const TeamShare&, const std::string&, const std::string&,
                                         const std::vector<TeamExchange>&, const std::string&) {
  return no_libpq();
}
Result<std::map<std::string, std::string>> TeamDatabase::memory_hashes(const TeamShare&, const std::string&) {
  return no_libpq();
}
Result<void> TeamDatabase::write_memories(const TeamShare&, const std::string&, const std::string&,
                                          const std::vector<std::string>&, const std::vector<TeamMemory>&) {
  return no_libpq();
}
Result<void> TeamDatabase::take_out(const TeamShare&, const std::string&, const std::string&) { return no_libpq(); }

#endif

TeamDatabase::TeamDatabase(std::string url, std::chrono::milliseconds patience)
    : url_(std::move(url)), patience_(patience) {}
TeamDatabase::~TeamDatabase() = default;
TeamDatabase::TeamDatabase(TeamDatabase&&) noexcept = default;
TeamDatabase& TeamDatabase::operator=(TeamDatabase&&) noexcept = default;

}  // namespace memd::team

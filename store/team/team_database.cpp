#include "store/team/team_database.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"

#ifdef MEMD_LIBPQ
#include <dlfcn.h>
#include <libpq-fe.h>
#endif

#include <array>
#include <charconv>
#include <utility>

namespace memd::team {

#ifdef MEMD_LIBPQ

namespace {

constexpr std::string_view kFilesAtOnce = "32";

std::int64_t number_of(std::string_view text) {
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// The library is opened when a share needs it: it brings twenty others, which every start would pay for. Never
// unloaded.
struct Libpq {
  void* handle = ::dlopen(MEMD_LIBPQ, RTLD_NOW | RTLD_LOCAL);
  bool is_missing_one = false;
  decltype(&PQconnectdbParams) connect = find<decltype(&PQconnectdbParams)>("PQconnectdbParams");
  decltype(&PQfinish) finish = find<decltype(&PQfinish)>("PQfinish");
  decltype(&PQstatus) status = find<decltype(&PQstatus)>("PQstatus");
  decltype(&PQerrorMessage) error_message = find<decltype(&PQerrorMessage)>("PQerrorMessage");
  decltype(&PQexec) exec = find<decltype(&PQexec)>("PQexec");
  decltype(&PQexecParams) exec_params = find<decltype(&PQexecParams)>("PQexecParams");
  decltype(&PQresultStatus) result_status = find<decltype(&PQresultStatus)>("PQresultStatus");
  decltype(&PQresultErrorField) error_field = find<decltype(&PQresultErrorField)>("PQresultErrorField");
  decltype(&PQntuples) rows = find<decltype(&PQntuples)>("PQntuples");
  decltype(&PQgetvalue) value = find<decltype(&PQgetvalue)>("PQgetvalue");
  decltype(&PQgetlength) length = find<decltype(&PQgetlength)>("PQgetlength");
  decltype(&PQgetisnull) is_null = find<decltype(&PQgetisnull)>("PQgetisnull");
  decltype(&PQclear) clear = find<decltype(&PQclear)>("PQclear");

  template <class Function>
  Function find(const char* name) {
    auto* found = handle != nullptr ? ::dlsym(handle, name) : nullptr;
    is_missing_one = is_missing_one || found == nullptr;
    return reinterpret_cast<Function>(found);
  }
};

const Libpq& libpq() {
  static const Libpq one;
  return one;
}

// Columns are text or bytea, so that their binary form is their bytes.
class TeamRows {
 public:
  explicit TeamRows(PGresult* result) : result_(result) {}
  int size() const { return libpq().rows(result_.get()); }
  bool is_null(int row, int column) const { return libpq().is_null(result_.get(), row, column) != 0; }
  std::string_view text(int row, int column) const {
    return {libpq().value(result_.get(), row, column),
            static_cast<std::size_t>(libpq().length(result_.get(), row, column))};
  }
  std::int64_t number(int row, int column) const { return number_of(text(row, column)); }
  PGresult* get() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const { libpq().clear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace

class TeamDatabase::Connection {
 public:
  explicit Connection(PGconn* connection) : connection_(connection) {}
  bool is_up() const { return libpq().status(connection_.get()) == CONNECTION_OK; }

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
    return checked(libpq().exec_params(connection_.get(), sql, static_cast<int>(params.size()), nullptr, values.data(),
                                       lengths.data(), formats.data(), 1));
  }
  // Several statements, as one transaction.
  Result<TeamRows> run_script(const std::string& sql) { return checked(libpq().exec(connection_.get(), sql.c_str())); }

  Error trouble(PGresult* result) const {
    const char* const state = result != nullptr ? libpq().error_field(result, PG_DIAG_SQLSTATE) : nullptr;
    const char* const said = result != nullptr ? libpq().error_field(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
    const bool is_refused = state != nullptr && std::string_view(state) == "42501";
    return Error(is_refused ? Errc::permission : Errc::unavailable,
                 "the database says: " +
                     harmless_line(std::string(said != nullptr ? said : libpq().error_message(connection_.get()))));
  }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { libpq().finish(connection); }
  };
  Result<TeamRows> checked(PGresult* result) {
    TeamRows rows(result);
    const auto status = libpq().result_status(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
    Error out = trouble(result);
    // A transaction that failed is not to be gone on with.
    if (is_up()) libpq().clear(libpq().exec(connection_.get(), "ROLLBACK"));
    return out;
  }
  std::unique_ptr<PGconn, Finish> connection_;
};

Result<TeamDatabase::Connection*> TeamDatabase::connection() {
  if (connection_ && connection_->is_up()) return connection_.get();
  if (libpq().is_missing_one)
    return Error(Errc::unsupported, "PostgreSQL cannot be reached: " MEMD_LIBPQ " cannot be opened; install libpq5");
  // What the URL says takes precedence: it comes last.
  const std::array<const char*, 7> keys{"fallback_application_name",
                                        "connect_timeout",
                                        "tcp_user_timeout",
                                        "sslmode",
                                        "target_session_attrs",
                                        "dbname",
                                        nullptr};
  const std::array<const char*, 7> values{"memd", "10", "30000", "require", "read-write", url_.c_str(), nullptr};
  auto made = std::make_unique<Connection>(libpq().connect(keys.data(), values.data(), 1));
  if (!made->is_up()) return made->trouble(nullptr);
  connection_ = std::move(made);
  return connection_.get();
}

Result<std::optional<TeamShare>> TeamDatabase::look(const std::string& project) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  MEMD_TRY_ASSIGN(const TeamRows known, db->run("SELECT 1::text WHERE to_regclass('memd.files') IS NOT NULL"));
  if (known.size() == 0) return std::optional<TeamShare>();
  MEMD_TRY_ASSIGN(const TeamRows rows,
                  db->run("SELECT share_no::text, last_change::text,"
                          " ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::text,"
                          " (memd.level_of(share_no) <> 'reader')::text"
                          " FROM memd.shares WHERE project = $1",
                          {{project}}));
  if (rows.size() == 0) return std::optional<TeamShare>();
  return std::optional<TeamShare>({rows.number(0, 0), rows.number(0, 1), rows.number(0, 2), rows.text(0, 3) == "true"});
}

Result<TeamShare> TeamDatabase::make(const std::string& project) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  MEMD_TRY_ASSIGN(const TeamRows known, db->run("SELECT 1::text WHERE to_regclass('memd.files') IS NOT NULL"));
  if (known.size() == 0)
    for (const auto& migration : embedded::team_migrations())
      MEMD_TRY(db->run_script(std::string(migration.text)));
  MEMD_TRY(db->run("SELECT memd.make_share($1)::text", {{project}}));
  MEMD_TRY_ASSIGN(const auto made, look(project));
  if (!made) return Error(Errc::permission, "the database does not show the share that was made");
  return *made;
}

Result<std::vector<TeamFile>> TeamDatabase::files_of_others(const TeamShare& share, const std::string& machine,
                                                            std::int64_t after, std::int64_t until) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  const std::string from = std::to_string(after);
  const std::string last = std::to_string(until);
  MEMD_TRY_ASSIGN(const TeamRows rows, db->run("SELECT path, machine, change::text, content FROM memd.files"
                                               " WHERE share_no = $1::bigint AND change > $2::bigint"
                                               " AND change <= $3::bigint AND machine <> $4"
                                               " ORDER BY change LIMIT $5::bigint",
                                               {{number}, {from}, {last}, {machine}, {kFilesAtOnce}}));
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

Result<std::vector<TeamHash>> TeamDatabase::hashes(const TeamShare& share) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  const std::string number = std::to_string(share.number);
  MEMD_TRY_ASSIGN(const TeamRows rows, db->run("SELECT path, encode(sha256(content), 'hex') FROM memd.files"
                                               " WHERE share_no = $1::bigint AND content IS NOT NULL ORDER BY path",
                                               {{number}}));
  std::vector<TeamHash> out;
  for (int i = 0; i < rows.size(); ++i)
    out.push_back({std::string(rows.text(i, 0)), std::string(rows.text(i, 1))});
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
Result<TeamShare> TeamDatabase::make(const std::string&) { return no_libpq(); }
Result<std::vector<TeamFile>> TeamDatabase::files_of_others(const TeamShare&, const std::string&, std::int64_t,
                                                            std::int64_t) {
  return no_libpq();
}
Result<std::vector<TeamFile>> TeamDatabase::own_files(const TeamShare&, const std::string&) { return no_libpq(); }
Result<std::optional<std::string>> TeamDatabase::content(const TeamShare&, const std::string&) { return no_libpq(); }
Result<std::vector<TeamHash>> TeamDatabase::hashes(const TeamShare&) { return no_libpq(); }
Result<std::int64_t> TeamDatabase::write(const TeamShare&, const std::vector<TeamFile>&) { return no_libpq(); }

#endif

TeamDatabase::TeamDatabase(std::string url) : url_(std::move(url)) {}
TeamDatabase::~TeamDatabase() = default;
TeamDatabase::TeamDatabase(TeamDatabase&&) noexcept = default;
TeamDatabase& TeamDatabase::operator=(TeamDatabase&&) noexcept = default;

}  // namespace memd::team

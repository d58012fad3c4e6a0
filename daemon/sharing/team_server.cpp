#include "daemon/sharing/team_server.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/hash.hpp"
#include "store/files/whole_file.hpp"

#include <fmt/format.h>

#ifdef MEMD_LIBPQ
#include <dlfcn.h>
#include <libpq-fe.h>
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace memd::sharing {

Result<bool> TeamServer::is_meant(std::string_view place) {
  const auto begin = place.find("://");
  if (begin == std::string_view::npos) return false;
  const auto scheme = place.substr(0, begin);
  if (scheme != "postgres" && scheme != "postgresql") return false;
  const auto login = place.substr(begin + 3, place.find_first_of("/?", begin + 3) - begin - 3);
  const auto at = login.rfind('@');
  if ((at != std::string_view::npos && login.substr(0, at).find(':') != std::string_view::npos) ||
      place.find("password=") != std::string_view::npos)
    return Error(Errc::invalid_argument,
                 "a password does not belong into the URL: put it into ~/.pgpass, or log in by peer or certificate");
  return true;
}

#ifdef MEMD_LIBPQ

namespace {

constexpr std::size_t kMostOfPush = std::size_t{16} << 20;  // bytes of files in one transaction
constexpr std::string_view kFilesOfPull = "32";

// What an exchange saw, in a file beside the copy.
struct Seen {
  std::int64_t timeline = 0;  // a server that was promoted has a later one
  std::int64_t others = 0;    // the newest change of which the copy has the others' files
  std::int64_t own = 0;       // the newest change by this machine
};

std::filesystem::path file_of_seen(const SharePlace& copy) { return copy.directory().string() + ".seen"; }

Seen read_seen(const SharePlace& copy) {
  Seen out;
  if (const auto text = files::read_whole(file_of_seen(copy)))
    std::istringstream(*text) >> out.timeline >> out.others >> out.own;
  return out;
}

std::int64_t number_of(std::string_view text) {
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

bool is_of_share(const std::string& path, std::string_view machine) {
  return SharePlace::is_head(path) ? machine.empty() : SharePlace::machine_of(path) == machine;
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

class TeamServer::Connection {
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

Result<TeamServer::Connection*> TeamServer::connection() {
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

// nullopt: the login sees no share of the project.
Result<std::optional<TeamServer::State>> TeamServer::look(Connection& db, const std::string& project) const {
  MEMD_TRY_ASSIGN(const TeamRows known, db.run("SELECT 1::text WHERE to_regclass('memd.files') IS NOT NULL"));
  if (known.size() == 0) return std::optional<State>();
  MEMD_TRY_ASSIGN(const TeamRows rows,
                  db.run("SELECT share_no::text, last_change::text,"
                         " ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::text,"
                         " (memd.level_of(share_no) <> 'reader')::text"
                         " FROM memd.shares WHERE project = $1",
                         {{project}}));
  if (rows.size() == 0) return std::optional<State>();
  return std::optional<State>({rows.number(0, 0), rows.number(0, 1), rows.number(0, 2), rows.text(0, 3) == "true"});
}

Result<TeamServer::State> TeamServer::make(Connection& db, const std::string& project) const {
  MEMD_TRY_ASSIGN(const TeamRows known, db.run("SELECT 1::text WHERE to_regclass('memd.files') IS NOT NULL"));
  if (known.size() == 0)
    for (const auto& migration : embedded::team_migrations())
      MEMD_TRY(db.run_script(std::string(migration.text)));
  MEMD_TRY(db.run("SELECT memd.make_share($1)::text", {{project}}));
  MEMD_TRY_ASSIGN(const auto made, look(db, project));
  if (!made) return Error(Errc::permission, "the database does not show the share that was made");
  return *made;
}

Result<void> TeamServer::exchange(const std::string& project, const SharePlace& copy, const std::string& machine) {
  MEMD_TRY_ASSIGN(Connection* const connected, connection());
  Connection& db = *connected;
  MEMD_TRY_ASSIGN(auto there, look(db, project));
  if (!there && !copy.share()) return {};
  if (!there) {
    MEMD_TRY_ASSIGN(there, make(db, project));
  }
  Seen seen = read_seen(copy);
  if (there->timeline < seen.timeline)
    return Error(Errc::unavailable,
                 "the server that answers is an older one: another was promoted since; nothing is exchanged with it");
  if (there->timeline > seen.timeline || there->last_change < std::max(seen.others, seen.own)) seen = {};
  const std::string share = std::to_string(there->share);

  // What others wrote.
  for (std::int64_t after = seen.others; after < there->last_change;) {
    const std::string from = std::to_string(after);
    const std::string until = std::to_string(there->last_change);
    MEMD_TRY_ASSIGN(const TeamRows rows, db.run("SELECT path, machine, content, change::text FROM memd.files"
                                                " WHERE share_no = $1::bigint AND change > $2::bigint"
                                                " AND change <= $3::bigint AND machine <> $4"
                                                " ORDER BY change LIMIT $5::bigint",
                                                {{share}, {from}, {until}, {machine}, {kFilesOfPull}}));
    for (int i = 0; i < rows.size(); ++i) {
      const std::string path(rows.text(i, 0));
      after = rows.number(i, 3);
      if (!is_of_share(path, rows.text(i, 1))) continue;
      MEMD_TRY(rows.is_null(i, 2) ? copy.remove(path) : copy.write(path, rows.text(i, 2)));
    }
    if (rows.size() == 0) break;
  }

  // What this machine wrote: there, and here.
  MEMD_TRY_ASSIGN(const TeamRows own,
                  db.run("SELECT path, change::text, CASE WHEN starts_with(path, 'members/') THEN content END,"
                         " (content IS NULL)::text FROM memd.files WHERE share_no = $1::bigint AND machine = $2",
                         {{share}, {machine}}));
  std::map<std::string, std::string> known;  // of files that may change, with their content
  for (int i = 0; i < own.size(); ++i) {
    const std::string path(own.text(i, 0));
    if (own.text(i, 3) == "true") continue;  // removed
    known.emplace(path, own.text(i, 2));
    if (own.number(i, 1) <= seen.own || !is_of_share(path, machine) || copy.read(path)) continue;
    MEMD_TRY_ASSIGN(
        const TeamRows lost,
        db.run("SELECT content FROM memd.files WHERE share_no = $1::bigint AND path = $2", {{share}, {path}}));
    if (lost.size() > 0) MEMD_TRY(copy.write(path, lost.text(0, 0)));
  }
  std::size_t bytes = 0;
  bool is_open = false;
  const auto put = [&](const std::string& path, const std::string& writer,
                       const std::optional<std::string>& file) -> Result<void> {
    if (!std::exchange(is_open, true))
      // Whose network is cut must not hold up the others.
      MEMD_TRY(db.run_script("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 30000"));
    MEMD_TRY_ASSIGN(const TeamRows written,
                    db.run("SELECT memd.put($1::bigint, $2, $3, $4::bytea)::text",
                           {{share}, {path}, {writer}, {file ? *file : std::string_view(), true, !file}}));
    if (!writer.empty()) seen.own = std::max(seen.own, written.number(0, 0));
    bytes += file ? file->size() : 0;
    if (bytes < kMostOfPush) return {};
    bytes = 0;
    is_open = false;
    MEMD_TRY(db.run("COMMIT"));
    return {};
  };
  std::set<std::string> here;
  for (const std::string& path : there->may_write ? copy.paths() : std::vector<std::string>()) {
    const bool is_head = SharePlace::is_head(path);
    if (!is_head && SharePlace::machine_of(path) != machine) continue;
    here.insert(path);
    if (is_head && there->last_change > 0) continue;  // its first change made it
    const auto before = known.find(path);
    if (before != known.end() && before->second.empty()) continue;
    MEMD_TRY_ASSIGN(const std::string file, copy.read(path));
    if (before == known.end() || before->second != file) MEMD_TRY(put(path, is_head ? "" : machine, file));
  }
  for (const auto& [path, content] : known)
    if (there->may_write && !here.contains(path)) MEMD_TRY(put(path, machine, std::nullopt));
  if (is_open) MEMD_TRY(db.run("COMMIT"));
  seen.timeline = there->timeline;
  seen.others = there->last_change;
  for (int i = 0; i < own.size(); ++i)
    seen.own = std::max(seen.own, own.number(i, 1));
  return files::write_whole(file_of_seen(copy), fmt::format("{} {} {}\n", seen.timeline, seen.others, seen.own),
                            files::OnDisk::now);
}

Result<bool> TeamServer::has_news(const std::string& project, const SharePlace& copy) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  MEMD_TRY_ASSIGN(const auto there, look(*db, project));
  const Seen seen = read_seen(copy);
  return !there || there->timeline != seen.timeline || there->last_change != seen.others;
}

Result<std::vector<std::string>> TeamServer::verify(const std::string& project, const SharePlace& copy,
                                                    const std::string& machine) {
  MEMD_TRY_ASSIGN(Connection* const db, connection());
  MEMD_TRY_ASSIGN(const auto there, look(*db, project));
  if (!there) return Error(Errc::not_found, "the database has no share of the project, or not for this login");
  const std::string share = std::to_string(there->share);
  MEMD_TRY_ASSIGN(const TeamRows rows, db->run("SELECT path, encode(sha256(content), 'hex') FROM memd.files"
                                               " WHERE share_no = $1::bigint AND content IS NOT NULL ORDER BY path",
                                               {{share}}));
  std::vector<std::string> out;
  std::set<std::string> known;
  for (int i = 0; i < rows.size(); ++i) {
    const std::string path(rows.text(i, 0));
    known.insert(path);
    const auto file = copy.read(path);
    if (file && sha256_hex(*file) != rows.text(i, 1))
      out.push_back(harmless_line(path) + ": the database has another content");
    if (!file) out.push_back(harmless_line(path) + ": it is in the database only; memd share sync");
  }
  for (const auto& path : copy.paths())
    if (!known.contains(path) && SharePlace::machine_of(path) == machine && there->may_write)
      out.push_back(path + ": the database does not have it; memd share sync");
  return out;
}

#else

class TeamServer::Connection {};

namespace {

Error no_libpq() {
  return Error(Errc::unsupported,
               "this memd was built without PostgreSQL: use the one of a Debian package, or a "
               "directory or user@host as the place");
}

}  // namespace

Result<void> TeamServer::exchange(const std::string&, const SharePlace&, const std::string&) { return no_libpq(); }
Result<bool> TeamServer::has_news(const std::string&, const SharePlace&) { return no_libpq(); }
Result<std::vector<std::string>> TeamServer::verify(const std::string&, const SharePlace&, const std::string&) {
  return no_libpq();
}

#endif

TeamServer::TeamServer(std::string url) : url_(std::move(url)) {}
TeamServer::~TeamServer() = default;
TeamServer::TeamServer(TeamServer&&) noexcept = default;
TeamServer& TeamServer::operator=(TeamServer&&) noexcept = default;

}  // namespace memd::sharing

#include "store/db/database.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/db/fts5.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace memd::sqlite {

namespace {

// Disables SQLite's memory statistics before the first connection: they cost a lock per allocation and are not used.
void configure_sqlite() {
  static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)once;
}

Errc kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_PROTOCOL:  // after ten seconds of waiting for a lock
    case SQLITE_LOCKED: return Errc::store_busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Errc::store_corrupt;
    case SQLITE_INTERRUPT: return Errc::cancelled;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN: return Errc::io;
    case SQLITE_PERM:
    case SQLITE_READONLY: return Errc::permission;
    default: return Errc::store;
  }
}

}  // namespace

Error make_error(sqlite3* db, int code, std::string_view doing) {
  const int last = (code & 0xff) == SQLITE_FULL ? ENOSPC : errno;  // SQLite keeps no reason of a write that failed
  std::string what(doing);
  what += ": ";
  what += db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  const bool is_exhausted = (code & 0xff) == SQLITE_NOMEM || (db != nullptr && is_exhaustion(sqlite3_system_errno(db)));
  if (is_exhausted && db != nullptr && sqlite3_system_errno(db) != 0)
    what.append(" (").append(std::strerror(sqlite3_system_errno(db))).append(")");
  const Errc kind = is_exhausted && kind_of(code) != Errc::cancelled ? Errc::exhausted : kind_of(code);
  if (db != nullptr && kind == Errc::io && (last == EFBIG || last == ENOSPC || last == EDQUOT))
    what.append(" (").append(Error::from_errno(last, "write", sqlite3_db_filename(db, "main")).message()).append(")");
  if (kind == Errc::store_corrupt) what += " (the file is damaged: `memd doctor` says what to do)";
  return Error(kind, std::move(what));
}

Error make_error(const std::exception& failure) {
  return {Errc::store, std::string("the store failed: ") + failure.what()};
}

void throw_error(sqlite3* db, std::string_view doing) {
  throw ErrorException(make_error(db, sqlite3_extended_errcode(db), doing));
}

Statement::Statement(sqlite3* db, std::string_view sql) : db_(db) {
  if (sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &stmt_, nullptr) !=
      SQLITE_OK)
    throw_error(db, "prepare " + std::string(sql));
}

Statement::~Statement() { sqlite3_finalize(stmt_); }

bool Statement::step() {
  const int rc = sqlite3_step(stmt_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) {
    reset();
    return false;
  }
  const Error error = make_error(db_, sqlite3_extended_errcode(db_), sqlite3_sql(stmt_));
  sqlite3_reset(stmt_);
  throw ErrorException(error);
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::reset() noexcept { sqlite3_reset(stmt_); }

bool Statement::any() { return static_cast<bool>(row()); }

std::optional<std::int64_t> Statement::number() {
  const Row first = row();
  return first->is_null(0) ? std::nullopt : std::optional(first->int64(0));
}

std::int64_t Statement::value_or(std::int64_t without_row) {
  const Row first = row();
  return first ? first->int64(0) : without_row;
}

std::string Statement::value_or(std::string_view without_row) {
  const Row first = row();
  return std::string(first ? first->text(0) : without_row);
}

std::string_view Statement::text(int column) const {
  const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(stmt_, column));
  if (p == nullptr) return {};
  return {p, static_cast<std::size_t>(sqlite3_column_bytes(stmt_, column))};
}

std::string_view Statement::blob(int column) const {
  const auto* p = static_cast<const char*>(sqlite3_column_blob(stmt_, column));
  if (p == nullptr) return {};
  return {p, static_cast<std::size_t>(sqlite3_column_bytes(stmt_, column))};
}

void Statement::bind_at(int index, std::nullptr_t) {
  if (sqlite3_bind_null(stmt_, index) != SQLITE_OK) throw_error(db_, "bind");
}

void Statement::bind_at(int index, std::int64_t value) {
  if (sqlite3_bind_int64(stmt_, index, value) != SQLITE_OK) throw_error(db_, "bind");
}

void Statement::bind_at(int index, double value) {
  if (sqlite3_bind_double(stmt_, index, value) != SQLITE_OK) throw_error(db_, "bind");
}

void Statement::bind_text(int index, std::string_view value, void (*release)(void*)) {
  // A null data pointer would bind NULL instead of an empty string.
  const char* p = value.data() != nullptr ? value.data() : "";
  if (sqlite3_bind_text64(stmt_, index, p, value.size(), release, SQLITE_UTF8) != SQLITE_OK) throw_error(db_, "bind");
}

void Statement::bind_at(int index, std::string_view value) { bind_text(index, value, SQLITE_STATIC); }

void Statement::bind_at(int index, std::string&& value) { bind_text(index, value, SQLITE_TRANSIENT); }

void Statement::bind_blob(int index, std::string_view bytes) {
  const void* p = bytes.data() != nullptr ? static_cast<const void*>(bytes.data()) : "";
  if (sqlite3_bind_blob64(stmt_, index, p, bytes.size(), SQLITE_STATIC) != SQLITE_OK) throw_error(db_, "bind");
}

namespace {

// Returns whether the file is on read-only storage. SQLite cannot read a WAL database without a -shm file where it
// cannot create one. On such storage there is no other writer.
bool is_on_read_only_ground(const std::filesystem::path& file) {
  std::error_code ec;
  if (std::filesystem::exists(file.native() + "-shm", ec)) return false;
  const auto directory = file.parent_path();
  return ::access(directory.empty() ? "." : directory.c_str(), W_OK) != 0 && (errno == EROFS || errno == EACCES);
}

// Returns a URI that opens the file as it is, without locks and without its write-ahead log.
std::string immutable_uri(const std::filesystem::path& file) {
  std::string out = "file:";
  for (const char c : file.native()) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += '%';
      out += kDigits[static_cast<unsigned char>(c) >> 4U];
      out += kDigits[static_cast<unsigned char>(c) & 15U];
    } else {
      out += c;
    }
  }
  return out + "?immutable=1";
}

}  // namespace

Database Database::open(const std::filesystem::path& file, OpenMode mode) {
  configure_sqlite();
  const bool as_it_lies = mode != OpenMode::read_write && is_on_read_only_ground(file);
  const int flags = (mode == OpenMode::read_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY) |
                    (as_it_lies ? SQLITE_OPEN_URI : 0);
  const mode_t old_mask = mode == OpenMode::read_write ? ::umask(0077) : 0;
  sqlite3* raw = nullptr;
  const std::string name = as_it_lies ? immutable_uri(file) : file.string();
  const int rc = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (mode == OpenMode::read_write) ::umask(old_mask);
  std::unique_ptr<sqlite3, Closer> db(raw);
  if (rc != SQLITE_OK) throw ErrorException(make_error(raw, rc, "open " + file.string()));

  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, mode == OpenMode::read_write ? 5000 : 1000);
  Database out(std::move(db));
  if (mode == OpenMode::read_write) {
    out.exec("PRAGMA journal_mode = WAL");
    out.exec("PRAGMA synchronous = NORMAL");
    out.exec("PRAGMA checkpoint_fullfsync = ON");  // of macOS
    out.exec("PRAGMA foreign_keys = ON");
    out.exec("PRAGMA wal_autocheckpoint = 4000");
    out.exec("PRAGMA journal_size_limit = 16777216");
    out.exec("PRAGMA cache_size = -8192");
  } else {
    const bool answers = mode == OpenMode::read_only;
    out.exec("PRAGMA query_only = ON");
    out.exec(answers ? "PRAGMA cache_size = -8192" : "PRAGMA cache_size = -2048");
    out.exec(answers ? "PRAGMA mmap_size = 33554432" : "PRAGMA mmap_size = 0");
  }
  out.exec("PRAGMA temp_store = MEMORY");
  tokenizer::register_tokenizer(raw);
  return out;
}

Database::~Database() {
  statements_.clear();
  if (observed_) observed_->observer->closed();
}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&& other) noexcept {
  statements_ = std::move(other.statements_);  // before the connection they belong to is closed
  kept_ = std::move(other.kept_);
  db_ = std::move(other.db_);
  stop_ = std::move(other.stop_);
  observed_ = std::move(other.observed_);
  return *this;
}

std::size_t Database::SqlHash::operator()(std::string_view sql) const {
  constexpr std::size_t kEnd = 48;
  return hash64(sql.substr(0, kEnd)) ^ hash64(sql.substr(sql.size() - std::min(sql.size(), kEnd)), sql.size());
}

Statement& Database::prepare(std::string_view sql) {
  auto it = statements_.find(sql);
  if (it == statements_.end())
    it = statements_.emplace(std::string(sql), std::make_unique<Statement>(db_.get(), sql)).first;
  it->second->reset();
  return *it->second;
}

void Database::exec(const char* sql) {
  if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw_error(db_.get(), sql);
}

std::int64_t Database::pragma(std::string_view name) {
  Statement stmt(db_.get(), "PRAGMA " + std::string(name));
  return stmt.step() ? stmt.int64(0) : 0;
}

void Database::throw_if_stopped() const {
  if (stop_ && stop_->stop_requested()) throw ErrorException(Error(Errc::cancelled, "cancelled"));
}

void Database::watch(std::stop_token token) {
  stop_ = std::make_unique<std::stop_token>(std::move(token));
  const auto check = [](void* p) -> int { return static_cast<std::stop_token*>(p)->stop_requested() ? 1 : 0; };
  sqlite3_progress_handler(db_.get(), stop_->stop_possible() ? 2000 : 0, check, stop_.get());
}

void Database::observe(const char* table, RowObserver* observer) {
  observed_ = std::make_unique<Observed>(Observed{table, observer});
  const auto tell = [](void* p, int, const char*, const char* name, sqlite3_int64 rowid) {
    const auto& observed = *static_cast<const Observed*>(p);
    if (observed.table == name) observed.observer->changed(rowid);
  };
  sqlite3_update_hook(db_.get(), tell, observed_.get());
}

Transaction::Transaction(Database& db) : db_(db) { db_.prepare("BEGIN IMMEDIATE").run(); }

Transaction::~Transaction() {
  if (!open_) return;
  // Some errors (disk full, I/O) have already rolled back; then this does nothing.
  if (sqlite3_get_autocommit(db_.handle()) == 0) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  if (db_.observed_) db_.observed_->observer->rolled_back();
}

void Transaction::commit() {
  db_.prepare("COMMIT").run();
  open_ = false;
  if (db_.observed_) db_.observed_->observer->committed();
}

void check_version(std::int64_t version, const std::vector<Migration>& all, std::string_view file) {
  const auto refuse = [&](Errc code, std::string_view why) {
    throw ErrorException(
        Error(code, std::string(file) + " has schema version " + std::to_string(version) + ", " + std::string(why)));
  };
  if (version > all.back().version)
    refuse(Errc::store_version, "and this memd knows up to " + std::to_string(all.back().version) +
                                    ": install the newer memd, " + std::string(file) + " is untouched");
  if (version != 0 && version < all.front().version)
    refuse(Errc::unsupported, "it was made by an earlier memd: make it anew with `memd rebuild`");
}

void migrate(Database& db) { migrate(db, migrations(), "the store"); }

void migrate(Database& db, const std::vector<Migration>& all, std::string_view file) {
  const auto version = db.pragma("user_version");
  check_version(version, all, file);
  for (const auto& m : all) {
    if (m.version <= version) continue;
    Transaction tx(db);
    if (db.pragma("user_version") >= m.version) continue;  // another process was faster
    db.exec(std::string(m.sql).c_str());
    db.exec(("PRAGMA user_version = " + std::to_string(m.version)).c_str());
    tx.commit();
  }
}

Result<void> clear_free_space(const std::filesystem::path& file) {
  return guard([&] {
    auto db = Database::open(file, OpenMode::read_write);
    db.exec("PRAGMA temp_store = FILE");  // VACUUM writes a temporary copy
    db.exec("VACUUM");
    Statement checkpoint(db.handle(), "PRAGMA wal_checkpoint(TRUNCATE)");
    if (checkpoint.step() && checkpoint.int64(0) != 0)
      throw ErrorException(Error(Errc::store_busy, file.string() + " is being read for too long"));
  });
}

bool BlobReader::read(std::int64_t rowid, std::string& out) {
  const int code = blob_ != nullptr ? sqlite3_blob_reopen(blob_, rowid)
                                    : sqlite3_blob_open(db_.handle(), "main", table_, column_, rowid, 0, &blob_);
  if (code != SQLITE_OK) {
    close();  // a handle that failed stays unusable
    if (code == SQLITE_ERROR) return false;
    throw_error(db_.handle(), "reading a blob");
  }
  out.resize(static_cast<std::size_t>(sqlite3_blob_bytes(blob_)));
  if (sqlite3_blob_read(blob_, out.data(), static_cast<int>(out.size()), 0) != SQLITE_OK) {
    close();
    throw_error(db_.handle(), "reading a blob");
  }
  return true;
}

void BlobReader::close() noexcept {
  sqlite3_blob_close(blob_);
  blob_ = nullptr;
}

}  // namespace memd::sqlite

#include "adapters/sqlite/read_only_database.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

namespace memd::sqlite {
namespace {

// https://sqlite.org/fileformat2.html, https://sqlite.org/walformat.html
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::uint64_t kHeader = 100;
constexpr std::uint64_t kLogHeader = 32;    // magic, version, page size, checkpoint number, salts, checksums
constexpr std::uint64_t kIndexHeader = 48;  // one copy of WalIndexHdr: counter, last frame, its checksum, salts
constexpr std::size_t kWriteVersion = 18;   // 2 for WAL
constexpr std::size_t kChangeCounter = 24;

void append(std::string& mark, std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr;
  if (!mark.empty()) mark.push_back('.');
  mark.append(std::begin(digits), end);
}

// Appends size, modification time and first bytes of a file that may not exist.
void append_companion(const FileView& files, const std::string& path, std::uint64_t bytes, bool timed,
                      std::string& mark) {
  const auto entry = files.stat(path);
  if (!entry) {
    mark.append(".-");
    return;
  }
  const auto head = files.read(path, 0, bytes);
  append(mark, entry->size);
  append(mark, head ? hash64(*head) : 0);
  if (timed) append(mark, static_cast<std::uint64_t>(entry->mtime_ns));
}

}  // namespace

enum class Access : unsigned char { shared, without_index, immutable };

namespace {

constexpr int kBusyTimeoutMs = 5;

// Characters with a meaning in a URI are escaped as %xx.
// With readonly_shm SQLite neither creates nor rebuilds the index of the log. A writer that opens the database while a
// reader rebuilds the index gets SQLITE_BUSY_RECOVERY, regardless of its busy timeout.
// A log without its index is read with an index in memory. SQLite has one in exclusive mode; unix-none keeps that mode
// from locking anybody out. https://sqlite.org/c3ref/open.html,
// https://sqlite.org/wal.html#use_of_wal_without_shared_memory
std::string_view parameters(Access access) {
  switch (access) {
    case Access::shared: return "?mode=ro&readonly_shm=1";
    case Access::without_index: return "?mode=ro&vfs=unix-none";
    case Access::immutable: break;
  }
  return "?mode=ro&immutable=1";
}

std::string file_uri(std::string_view path, Access access) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      const auto byte = static_cast<unsigned char>(c);
      uri.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    } else {
      uri.push_back(c);
    }
  }
  return uri.append(parameters(access));
}

// Answers for a function that the schema uses. See refuse_functions_of_schema().
void refuse(sqlite3_context* context, int, sqlite3_value**) {
  sqlite3_result_error(context, "expressions of an agent's schema are not evaluated", -1);
}

// With an untrusted schema, SQLite before 3.41 loads no schema at all that uses its JSON functions in an index: it does
// not count them as harmless. These have the same names and are harmless, because they only fail: the schema is loaded,
// and its indexes on other columns serve. https://sqlite.org/c3ref/c_deterministic.html
void refuse_functions_of_schema(sqlite3* database) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const char* name :
       {"json", "json_array", "json_array_length", "json_extract", "json_insert", "json_object", "json_patch",
        "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid", "->", "->>"})
    sqlite3_create_function_v2(database, name, -1, kFlags, nullptr, refuse, nullptr, nullptr, nullptr);
}

// Returns whether the writer is just creating the index of the log.
bool not_ready(int code) {
  return code == SQLITE_READONLY_RECOVERY || code == SQLITE_READONLY_CANTLOCK || code == SQLITE_READONLY_CANTINIT;
}

bool cannot_open(int code) {
  if (not_ready(code)) return false;
  const int primary = code & 0xff;
  return primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY || primary == SQLITE_PERM;
}

}  // namespace

void Query::Finalizer::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Query& Query::bind(int parameter, std::string_view text) {
  sqlite3_bind_text(statement_.get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  return *this;
}

Query& Query::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Result<bool> Query::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  // The message belongs to the failed step, so it is read before the reset.
  auto failed = code == SQLITE_DONE ? Error() : database_->error(code);
  sqlite3_reset(statement_.get());
  if (code == SQLITE_DONE) return false;
  return failed;
}

void Query::reset() { sqlite3_reset(statement_.get()); }

int Query::columns() const { return sqlite3_column_count(statement_.get()); }

std::string_view Query::name(int column) const { return sqlite3_column_name(statement_.get(), column); }

bool Query::is_of_table(int column) const { return sqlite3_column_decltype(statement_.get(), column) != nullptr; }

bool Query::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

bool Query::is_integer(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER; }

bool Query::is_number(int column) const {
  return is_integer(column) || sqlite3_column_type(statement_.get(), column) == SQLITE_FLOAT;
}

std::int64_t Query::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Query::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Query::text(int column) const {
  sqlite3_stmt* const statement = statement_.get();
  // Text is fetched as text, which converts a UTF-16 database to UTF-8. A blob is taken as is.
  const void* bytes = sqlite3_column_type(statement, column) == SQLITE_BLOB
                          ? sqlite3_column_blob(statement, column)
                          : static_cast<const void*>(sqlite3_column_text(statement, column));
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

void ReadOnlyDatabase::Closer::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }

ReadOnlyDatabase::~ReadOnlyDatabase() = default;

// Opens the database and reads the first page, because only then SQLite searches for the log.
int ReadOnlyDatabase::open_as(Access access) {
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  const int opened = sqlite3_open_v2(file_uri(path_, access).c_str(), &raw, flags, nullptr);
  database_.reset(raw);
  if (opened != SQLITE_OK) return opened;
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, kBusyTimeoutMs);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  refuse_functions_of_schema(raw);
  if (access == Access::without_index) sqlite3_exec(raw, "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
  return sqlite3_exec(raw,
                      "PRAGMA query_only = 1; PRAGMA mmap_size = 0; PRAGMA cache_size = -2048;"
                      "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = 1; PRAGMA schema_version",
                      nullptr, nullptr, nullptr);
}

Result<std::unique_ptr<ReadOnlyDatabase>> ReadOnlyDatabase::open(const FileView& files, const std::string& path) {
  auto database = attempt(files, path);
  // Its writer may have closed and reopened it between the check of its files and the opening.
  for (int again = 0; again < 2 && !database && database.error().is(Errc::permission); ++again)
    database = attempt(files, path);
  return database;
}

Result<std::unique_ptr<ReadOnlyDatabase>> ReadOnlyDatabase::attempt(const FileView& files, const std::string& path) {
  MEMD_TRY_ASSIGN(const FileState state, file_state(files, path));
  if (!state.is_database) return Error(Errc::io, path + ": not an SQLite database");
  std::unique_ptr<ReadOnlyDatabase> database(new ReadOnlyDatabase(files, path));

  const bool closed = state.is_empty || (state.write_ahead && !state.has_log && !state.has_index);
  const bool lost_index = state.write_ahead && state.has_log && !state.has_index;
  if (!closed && !lost_index) {
    const int code = database->open_as(Access::shared);
    if (code == SQLITE_OK) return database;
    Error failed = database->error(code);
    // Reading without the log is correct only if the main file is complete.
    if (!cannot_open(code) || state.has_log || state.has_journal) return failed;
    database->database_.reset();
  }
  MEMD_TRY_ASSIGN(database->mark_, change_mark(files, path));
  const int code = database->open_as(lost_index ? Access::without_index : Access::immutable);
  if (code != SQLITE_OK) return database->error(code);
  MEMD_TRY(database->confirm());
  return database;
}

Result<Query> ReadOnlyDatabase::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return error(code);
  return Query(*this, statement);
}

Result<bool> ReadOnlyDatabase::has_table(std::string_view table) const {
  MEMD_TRY_ASSIGN(Query query, prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1"));
  return query.bind(1, table).step();
}

Result<bool> ReadOnlyDatabase::has_column(std::string_view table, std::string_view column) const {
  MEMD_TRY_ASSIGN(Query query, prepare("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2"));
  return query.bind(1, table).bind(2, column).step();
}

bool ReadOnlyDatabase::changed() const {
  if (mark_.empty()) return false;
  const auto now = change_mark(files_, path_);
  return !now || *now != mark_;
}

Result<void> ReadOnlyDatabase::confirm() const {
  if (changed()) return Error(Errc::busy, path_ + ": written to while it was read");
  return {};
}

Error ReadOnlyDatabase::error(int code) const {
  const std::string what = path_ + ": " + (database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code));
  if (not_ready(code)) return {Errc::busy, what};
  if ((code & 0xff) == SQLITE_NOMEM) return {Errc::exhausted, what};
  if ((code & 0xff) == SQLITE_CANTOPEN && database_ && is_exhaustion(sqlite3_system_errno(database_.get())))
    return {Errc::exhausted, what};
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_SCHEMA: return {Errc::busy, what};
    case SQLITE_CANTOPEN: return {files_.stat(path_) ? Errc::permission : Errc::not_found, what};
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY: return {Errc::permission, what};
    default: return {changed() ? Errc::busy : Errc::io, what};
  }
}

ReadTransaction::ReadTransaction(const ReadOnlyDatabase& database) : database_(database) {
  sqlite3_exec(database_.handle(), "BEGIN", nullptr, nullptr, nullptr);
}

ReadTransaction::~ReadTransaction() { sqlite3_exec(database_.handle(), "COMMIT", nullptr, nullptr, nullptr); }

void ValueSize::Closer::operator()(sqlite3_blob* blob) const noexcept { sqlite3_blob_close(blob); }

ValueSize::ValueSize(const ReadOnlyDatabase& database, std::string table, std::string column)
    : database_(database), table_(std::move(table)), column_(std::move(column)) {}

ValueSize::~ValueSize() = default;

Result<std::optional<std::uint64_t>> ValueSize::of(std::int64_t rowid) {
  int code = SQLITE_OK;
  if (blob_) {
    code = sqlite3_blob_reopen(blob_.get(), rowid);
  } else {
    sqlite3_blob* blob = nullptr;
    code = sqlite3_blob_open(database_.handle(), "main", table_.c_str(), column_.c_str(), rowid, 0, &blob);
    blob_.reset(blob);
  }
  if (code == SQLITE_OK) return std::optional(static_cast<std::uint64_t>(sqlite3_blob_bytes(blob_.get())));
  // A handle that failed cannot be used again. NULL and numbers cannot be opened.
  Error failed = database_.error(code);
  blob_.reset();
  if ((code & 0xff) != SQLITE_ERROR) return failed;
  MEMD_TRY_ASSIGN(Query query, database_.prepare("SELECT length(\"" + column_ + "\") FROM \"" + table_ +
                                                 "\" WHERE rowid = ?1 AND typeof(\"" + column_ +
                                                 "\") IN ('null', 'integer', 'real')"));
  MEMD_TRY_ASSIGN(const bool row, query.bind(1, rowid).step());
  if (!row) return Error(Errc::not_found, failed.message());
  if (query.is_null(0)) return std::optional<std::uint64_t>();
  return std::optional(static_cast<std::uint64_t>(query.integer(0)));
}

Result<std::string> change_mark(const FileView& files, const std::string& path) {
  const auto entry = files.stat(path);
  if (!entry) return Error(Errc::not_found, path);
  MEMD_TRY_ASSIGN(const std::string header, files.read(path, 0, kHeader));
  std::uint64_t counter = 0;
  for (std::size_t i = kChangeCounter; i < kChangeCounter + 4 && i < header.size(); ++i)
    counter = counter << 8 | static_cast<unsigned char>(header[i]);
  std::string mark;
  append(mark, counter);
  append(mark, entry->size);
  append(mark, static_cast<std::uint64_t>(entry->mtime_ns));
  append_companion(files, path + "-wal", kLogHeader, true, mark);
  // Each commit changes the header of the index, even where the log is overwritten in place within one tick of the
  // clock. Readers write to other parts of it.
  append_companion(files, path + "-shm", kIndexHeader, false, mark);
  return mark;
}

Result<FileState> file_state(const FileView& files, const std::string& path) {
  if (!files.stat(path)) return Error(Errc::not_found, path);
  MEMD_TRY_ASSIGN(const std::string header, files.read(path, 0, kHeader));
  FileState state;
  state.is_empty = header.empty();
  state.is_database = state.is_empty || header.starts_with(kMagic);
  state.write_ahead = header.size() == kHeader && header[kWriteVersion] == 2;
  const auto log = files.stat(path + "-wal");
  state.has_log = log && log->size > 0;
  state.has_index = files.stat(path + "-shm").has_value();
  if (const auto journal = files.stat(path + "-journal"); journal && journal->size > 0) {
    // In persist mode the journal remains with its header zeroed.
    const auto head = files.read(path + "-journal", 0, 8);
    state.has_journal = !head || std::any_of(head->begin(), head->end(), [](char c) { return c != 0; });
  }
  return state;
}

}  // namespace memd::sqlite

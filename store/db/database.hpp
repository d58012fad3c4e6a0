#pragma once

#include "schemas/error.hpp"
#include "schemas/hash.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <vector>

namespace memd {
struct Migration;
}

namespace memd::sqlite {

// Thrown inside store/ by every failing call; the public functions of store/ turn it into an Error.
[[noreturn]] void throw_error(sqlite3* db, std::string_view doing);
Error make_error(sqlite3* db, int code, std::string_view doing);

// A prepared statement. Owned by Database's cache; one user at a time, one thread at a time.
// Bound strings must outlive the step that uses them.
class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds all parameters, in order, after a reset.
  template <class... Args>
  Statement& bind(const Args&... args) {
    reset();
    int index = 0;
    (bind_at(++index, args), ...);
    return *this;
  }

  bool step();  // true: a row is there
  void run();   // step until done, then reset
  void reset() noexcept;
  sqlite3_stmt* handle() const { return stmt_; }

  std::int64_t int64(int column) const { return sqlite3_column_int64(stmt_, column); }
  double real(int column) const { return sqlite3_column_double(stmt_, column); }
  bool is_null(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }
  std::string_view text(int column) const;  // valid until the next step; empty for NULL
  std::string str(int column) const { return std::string(text(column)); }
  std::string_view blob(int column) const;

  void bind_at(int index, std::nullptr_t);
  void bind_at(int index, std::int64_t value);
  void bind_at(int index, int value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, bool value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, std::uint32_t value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, std::uint64_t value) { bind_at(index, static_cast<std::int64_t>(value)); }
  void bind_at(int index, double value);
  void bind_at(int index, std::string_view value);
  void bind_at(int index, const std::string& value) { bind_at(index, std::string_view(value)); }
  void bind_at(int index, const char* value) { bind_at(index, std::string_view(value)); }
  void bind_at(int index, std::span<const std::byte> blob) {
    bind_blob(index, {reinterpret_cast<const char*>(blob.data()), blob.size()});
  }
  void bind_blob(int index, std::string_view bytes);
  template <class T>
  void bind_at(int index, const std::optional<T>& value) {
    if (value)
      bind_at(index, *value);
    else
      bind_at(index, nullptr);
  }

 private:
  sqlite3* db_;
  sqlite3_stmt* stmt_ = nullptr;
};

enum class OpenMode {
  read_write,  // creates the file (0600); the one writer
  read_only,   // sees the WAL of a running writer; maps the file, for it answers questions
  // The same for work that nobody waits for: it holds 2 MB of pages at most and maps none, for what it maps counts as
  // memory of the process.
  read_only_in_background,
};

// Hears of each row of one table that a connection writes, on the connection's thread.
class RowObserver {
 public:
  virtual ~RowObserver() = default;
  virtual void changed(std::int64_t rowid) = 0;  // inserted, updated or deleted; not committed
  virtual void committed() = 0;                  // what was changed since the last transaction
  virtual void rolled_back() = 0;
  virtual void closed() = 0;  // the connection; the last call
};

// One SQLite connection and its statement cache. One thread at a time. Members throw ErrorException; the
// public functions of store/ turn that into a Result with guard().
class Database {
 public:
  static Database open(const std::filesystem::path& file, OpenMode mode);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  // Prepared once a connection and text. The connection owns the statement.
  Statement& prepare(std::string_view sql);
  void exec(const char* sql);
  std::int64_t pragma(std::string_view name);                      // value of an integer pragma
  void release_memory() { sqlite3_db_release_memory(db_.get()); }  // pages that can be read again
  std::int64_t changes() const { return sqlite3_changes64(db_.get()); }
  std::int64_t last_insert_rowid() const { return sqlite3_last_insert_rowid(db_.get()); }
  sqlite3* handle() const { return db_.get(); }

  // While set, running statements end with Errc::cancelled soon after the token is triggered.
  void watch(std::stop_token token);
  // For work between statements. Throws Errc::cancelled when the token is triggered.
  void throw_if_stopped() const;
  // Has `observer` hear of writes to `table` (a literal). Writes outside of a Transaction count as part of the next
  // one. A DELETE without WHERE is not reported. One observer a connection; it must outlive the connection.
  void observe(const char* table, RowObserver* observer);

  // The one T that this connection keeps for those who use it (a cache, a function of SQL), made from the connection
  // when first asked for. T must not hold on to the reference: the connection may move.
  template <class T>
  T& kept() {
    std::shared_ptr<void>& object = kept_[std::type_index(typeid(T))];
    if (!object) object = std::make_shared<T>(*this);
    return *static_cast<T*>(object.get());
  }

 private:
  friend class Transaction;
  struct Observed {
    std::string_view table;
    RowObserver* observer;
  };
  struct Closer {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  explicit Database(std::unique_ptr<sqlite3, Closer> db) : db_(std::move(db)) {}

  std::unique_ptr<sqlite3, Closer> db_;
  std::unordered_map<std::string, std::unique_ptr<Statement>, TextHash, std::equal_to<>> statements_;
  std::unordered_map<std::type_index, std::shared_ptr<void>> kept_;
  std::unique_ptr<std::stop_token> stop_;
  std::unique_ptr<Observed> observed_;
};

// BEGIN IMMEDIATE … COMMIT; rolls back when left by an exception. Borrows `db`: the thread of the connection.
class Transaction {
 public:
  explicit Transaction(Database& db);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& db_;
  bool open_ = true;
};

// A read transaction: while it lives, all statements of the connection see one state of the store. Inside a transaction
// that is open already it does nothing. Borrows `db`: the thread of the connection.
class Snapshot {
 public:
  explicit Snapshot(Database& db) : db_(db), ours_(sqlite3_get_autocommit(db.handle()) != 0) {
    if (ours_) db_.prepare("BEGIN").run();
  }
  ~Snapshot() {
    if (!ours_) return;
    // A statement left in the middle, by an error, would hold on to the snapshot.
    for (sqlite3_stmt* s = nullptr; (s = sqlite3_next_stmt(db_.handle(), s)) != nullptr;)
      if (sqlite3_stmt_busy(s) != 0) sqlite3_reset(s);
    if (sqlite3_get_autocommit(db_.handle()) == 0) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Database& db_;
  bool ours_;
};

// Runs `f`; an ErrorException becomes the error of the Result.
template <class F>
auto guard(F&& f) -> Result<std::invoke_result_t<F>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      f();
      return {};
    } else {
      return f();
    }
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const std::exception& e) {  // no memory, or a bug that a damaged file has met
    return Error(Errc::store, std::string("the store failed: ") + e.what());
  }
}

// Brings the schema to the newest version in schemas/sql, each migration in a transaction of its own. An empty file
// gets all of it from one script, in one transaction.
// Errc::store_version if the file is newer than this binary.
void migrate(Database& db);
// The same for a file with the migrations `all`; `file` names it in Errc::store_version. Several processes may do it at
// once.
void migrate(Database& db, const std::vector<Migration>& all, std::string_view file);

// Writes the file anew, so that nothing of deleted rows stays in it or in its write-ahead log. Other connections may be
// open, without a transaction of writing; Errc::store_busy when one of them reads for too long. Takes the file's size
// of room and time.
Result<void> clear_free_space(const std::filesystem::path& file);

// Inserts a known number of rows, up to 64 with one statement. Added texts must live until the last row is added. Only
// for rows whose keys are new: a key that exists rolls the whole transaction back. (With OR ROLLBACK SQLite needs no
// savepoint a statement, at which FTS5 would write a segment.) One thread. Throws ErrorException.
class RowInserter {
 public:
  // `into`: "table (column, …)".
  RowInserter(Database& db, std::string_view into, std::size_t rows) : db_(db), into_(into), left_(rows) {}

  // All columns of the next row.
  template <class... Values>
  void add(const Values&... values) {
    if (filled_ == 0) begin(sizeof...(Values));
    int index = static_cast<int>(filled_ * sizeof...(Values));
    (statement_->bind_at(++index, values), ...);
    --left_;
    if (++filled_ < width_) return;
    statement_->run();
    filled_ = 0;
  }

 private:
  void begin(std::size_t columns) {
    const std::size_t width = left_ >= 64 ? 64 : left_ >= 8 ? 8 : 1;
    if (width == width_) return;
    width_ = width;
    std::string row(2 * columns, ',');
    for (std::size_t i = 0; i < columns; ++i)
      row[2 * i] = '?';
    row.back() = ')';
    std::string sql = "INSERT OR ROLLBACK INTO " + std::string(into_) + " VALUES ";
    for (std::size_t i = 0; i < width; ++i)
      sql.append(i > 0 ? ",(" : "(").append(row);
    statement_ = &db_.prepare(sql);
  }

  Database& db_;
  const std::string_view into_;
  std::size_t left_;
  std::size_t width_ = 0;   // rows a statement
  std::size_t filled_ = 0;  // of them bound
  Statement* statement_ = nullptr;
};

// Reads one blob column of many rows by rowid, for half of what statements cost. From the first read() to close() it
// holds a read transaction. One thread. Throws ErrorException.
class BlobReader {
 public:
  BlobReader(Database& db, const char* table, const char* column) : db_(db), table_(table), column_(column) {}
  ~BlobReader() { close(); }
  BlobReader(const BlobReader&) = delete;
  BlobReader& operator=(const BlobReader&) = delete;

  // Puts the blob of a row into `out`. False: there is no such row.
  bool read(std::int64_t rowid, std::string& out);
  void close() noexcept;

 private:
  Database& db_;
  const char* const table_;
  const char* const column_;
  sqlite3_blob* blob_ = nullptr;
};

}  // namespace memd::sqlite

#pragma once

#include "schemas/base/result.hpp"

#include <sqlite3.h>

#include <concepts>
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
#include <utility>
#include <vector>

namespace memd {
struct Migration;
}

namespace memd::sqlite {

// Throws the error of a failing call inside store/. The public functions of store/ turn it into an Error.
[[noreturn]] void throw_error(sqlite3* db, std::string_view doing);
Error make_error(sqlite3* db, int code, std::string_view doing);
Error make_error(const std::exception& failure);  // any other failure inside store/

class Row;

// A prepared statement. Owned by Database's cache; one user at a time, one thread at a time. Reset when its rows are
// read to the end; a loop that leaves earlier must reset it. Bound strings must outlive the steps that use them;
// of one that is given away (an rvalue) the statement keeps a copy.
class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Resets, then binds all parameters in order.
  template <class... Args>
  Statement& bind(Args&&... args) {
    reset();
    int index = 0;
    (bind_at(++index, std::forward<Args>(args)), ...);
    return *this;
  }

  bool step();  // true: a row is available
  void run();   // steps until done
  void reset() noexcept;

  // What `read` makes of each row: T(const Statement&).
  template <class Read>
  auto all(Read read) {
    std::vector<decltype(read(*this))> out;
    while (step())
      out.push_back(read(*this));
    return out;
  }

  // Of the first row, whatever follows; the statement is reset.
  Row row();                                        // at the end of the Row's scope
  bool any();                                       // whether there is one
  std::optional<std::int64_t> number();             // its first column; nullopt for NULL, and without a row
  std::int64_t value_or(std::int64_t without_row);  // its first column
  std::string value_or(std::string_view without_row);

  sqlite3_stmt* handle() const { return stmt_; }

  std::int64_t int64(int column) const { return sqlite3_column_int64(stmt_, column); }
  double real(int column) const { return sqlite3_column_double(stmt_, column); }
  bool is_null(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }
  std::string_view text(int column) const;  // valid until the next step; empty for NULL
  std::string str(int column) const { return std::string(text(column)); }
  std::string_view blob(int column) const;

  void bind_at(int index, std::nullptr_t);
  void bind_at(int index, std::int64_t value);
  template <std::integral Number>
  void bind_at(int index, Number value) {
    bind_at(index, static_cast<std::int64_t>(value));
  }
  void bind_at(int index, double value);
  void bind_at(int index, std::string_view value);
  void bind_at(int index, const std::string& value) { bind_at(index, std::string_view(value)); }
  void bind_at(int index, std::string&& value);
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
  template <class T>
  void bind_at(int index, std::optional<T>&& value) {
    if (value)
      bind_at(index, std::move(*value));
    else
      bind_at(index, nullptr);
  }

 private:
  void bind_text(int index, std::string_view value, void (*release)(void*));

  sqlite3* db_;
  sqlite3_stmt* stmt_ = nullptr;
};

// The first row of a statement, if any; without one all columns read as NULL. Resets the statement at the end of its
// scope.
class Row {
 public:
  explicit Row(Statement& statement) : statement_(statement), there_(statement.step()) {}
  ~Row() { statement_.reset(); }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  explicit operator bool() const { return there_; }
  const Statement& operator*() const { return statement_; }
  const Statement* operator->() const { return &statement_; }

 private:
  Statement& statement_;
  const bool there_;
};

// For Statement::all(): the first column.
inline std::int64_t first_number(const Statement& row) { return row.int64(0); }
inline std::string first_text(const Statement& row) { return row.str(0); }

inline Row Statement::row() { return Row(*this); }

enum class OpenMode {
  read_write,  // creates the file (0600); for the single writer
  read_only,   // sees the WAL of a running writer; memory-maps the file, for connections that answer queries
  // Like read_only, for background work: caches at most 2 MB of pages and maps nothing, because mapped pages count as
  // memory of the process.
  read_only_in_background,
};

// Receives each row change that a connection makes to one table, on the connection's thread.
class RowObserver {
 public:
  virtual ~RowObserver() = default;
  virtual void changed(std::int64_t rowid) = 0;  // inserted, updated or deleted, not yet committed
  virtual void committed() = 0;                  // the changes since the last transaction
  virtual void rolled_back() = 0;
  virtual void closed() = 0;  // the connection was closed; the last call
};

// One SQLite connection and its statement cache. One thread at a time. Members throw ErrorException; the
// public functions of store/ turn that into a Result with guard().
class Database {
 public:
  static Database open(const std::filesystem::path& file, OpenMode mode);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  // Returns a prepared statement, cached per connection and SQL text. The connection owns it.
  Statement& prepare(std::string_view sql);
  // The same with its parameters bound; run() also executes it.
  template <class... Args>
  Statement& query(std::string_view sql, Args&&... args) {
    return prepare(sql).bind(std::forward<Args>(args)...);
  }
  template <class... Args>
  void run(std::string_view sql, const Args&... args) {
    query(sql, args...).run();
  }
  void exec(const char* sql);
  std::int64_t pragma(std::string_view name);                      // value of an integer pragma
  void release_memory() { sqlite3_db_release_memory(db_.get()); }  // frees cached pages that can be read again
  std::int64_t changes() const { return sqlite3_changes64(db_.get()); }
  std::int64_t last_insert_rowid() const { return sqlite3_last_insert_rowid(db_.get()); }
  sqlite3* handle() const { return db_.get(); }

  // While set, running statements fail with Errc::cancelled soon after the token is triggered.
  void watch(std::stop_token token);
  // For use between statements. Throws Errc::cancelled when the token is triggered.
  void throw_if_stopped() const;
  // Registers `observer` for writes to `table` (a literal). Writes outside of a Transaction count as part of the next
  // one. A DELETE without WHERE is not reported. One observer per connection; it must outlive the connection.
  void observe(const char* table, RowObserver* observer);

  // Returns the connection's single T (a cache, an SQL function), constructed from the connection on first use. T must
  // not keep the reference, because the connection may move.
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
  // Of both ends of an SQL text, which tell statements apart: one that inserts many rows has thousands of bytes.
  struct SqlHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view sql) const;
  };
  explicit Database(std::unique_ptr<sqlite3, Closer> db) : db_(std::move(db)) {}

  std::unique_ptr<sqlite3, Closer> db_;
  std::unordered_map<std::string, std::unique_ptr<Statement>, SqlHash, std::equal_to<>> statements_;
  std::unordered_map<std::type_index, std::shared_ptr<void>> kept_;
  std::unique_ptr<std::stop_token> stop_;
  std::unique_ptr<Observed> observed_;
};

// BEGIN IMMEDIATE … COMMIT; rolls back when left by an exception. Borrows `db`; connection thread.
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

// A read transaction: during its lifetime all statements of the connection see one state of the store. Has no effect
// inside an open transaction. Borrows `db`; connection thread.
class Snapshot {
 public:
  explicit Snapshot(Database& db) : db_(db), ours_(sqlite3_get_autocommit(db.handle()) != 0) {
    if (ours_) db_.prepare("BEGIN").run();
  }
  ~Snapshot() {
    if (!ours_) return;
    // A statement interrupted by an error would keep the snapshot open.
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

// Runs `f` and returns its result. An ErrorException becomes the error of the Result.
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
  } catch (const std::exception& e) {  // out of memory, or a bug triggered by a damaged file
    return make_error(e);
  }
}

// Throws ErrorException, and names `file`, when the migrations `all` do not lead to or from this version (PRAGMA
// user_version): Errc::store_version when the file is newer than this binary, Errc::unsupported when it is older than
// the first migration. An empty file has version 0 and passes.
void check_version(std::int64_t version, const std::vector<Migration>& all, std::string_view file);
// Migrates the schema of the store to the newest version in schemas/sql, each migration in its own transaction; creates
// it in an empty file. Throws as check_version().
void migrate(Database& db);
// Applies the migrations `all`. Several processes may do it at once.
void migrate(Database& db, const std::vector<Migration>& all, std::string_view file);

// Rewrites the file so that no deleted rows remain in it or in its write-ahead log. Other connections may be open, but
// without a write transaction. Errc::store_busy when one of them reads for too long. Needs free space and time in
// proportion to the file's size.
Result<void> clear_free_space(const std::filesystem::path& file);

// Inserts a known number of rows, up to 64 per statement. Added texts must live until the last row is added. Only for
// rows with new keys: an existing key rolls the whole transaction back. (With OR ROLLBACK SQLite needs no savepoint per
// statement, at which FTS5 would write a segment.) One thread. Throws ErrorException.
class RowInserter {
 public:
  // `into`: "table (column, …)".
  RowInserter(Database& db, std::string_view into, std::size_t rows) : db_(db), into_(into), left_(rows) {}

  // Adds the next row; `values` are all its columns.
  template <class... Values>
  void add(Values&&... values) {
    if (filled_ == 0) begin(sizeof...(Values));
    int index = static_cast<int>(filled_ * sizeof...(Values));
    (statement_->bind_at(++index, std::forward<Values>(values)), ...);
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
  std::size_t width_ = 0;   // rows per statement
  std::size_t filled_ = 0;  // rows of the statement already bound
  Statement* statement_ = nullptr;
};

// Reads one blob column of many rows by rowid, at half the cost of statements. Holds a read transaction from the first
// read() to close(). One thread. Throws ErrorException.
class BlobReader {
 public:
  BlobReader(Database& db, const char* table, const char* column) : db_(db), table_(table), column_(column) {}
  ~BlobReader() { close(); }
  BlobReader(const BlobReader&) = delete;
  BlobReader& operator=(const BlobReader&) = delete;

  // Stores the blob of a row in `out`. Returns false when there is no such row.
  bool read(std::int64_t rowid, std::string& out);
  void close() noexcept;

 private:
  Database& db_;
  const char* const table_;
  const char* const column_;
  sqlite3_blob* blob_ = nullptr;
};

}  // namespace memd::sqlite

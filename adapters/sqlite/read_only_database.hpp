#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

struct sqlite3;
struct sqlite3_blob;
struct sqlite3_stmt;

namespace memd::sqlite {

class ReadOnlyDatabase;
enum class Access : unsigned char;

// A SELECT on an agent's database. Outside a ReadTransaction it is its own read transaction, from the first step to the
// last step, a reset or its destruction. One thread at a time; the database must outlive it.
class Query {
 public:
  Query(Query&&) noexcept = default;
  Query& operator=(Query&&) noexcept = default;

  // Parameters count from 1. The text must live until the statement is stepped to its end or reset.
  Query& bind(int parameter, std::string_view text);
  Query& bind(int parameter, std::int64_t value);

  // Returns true when there is a row. After the last row the query is reset and can be bound and stepped again.
  Result<bool> step();
  void reset();
  // Calls visit() for each row that is left. It returns nothing, or a Result<void>, whose error ends the reading.
  template <class Visit>
  Result<void> each(Visit&& visit) {
    for (;;) {
      MEMD_TRY_ASSIGN(const bool row, step());
      if (!row) return {};
      if constexpr (std::is_void_v<decltype(visit())>)
        visit();
      else
        MEMD_TRY(visit());
    }
  }

  int columns() const;
  std::string_view name(int column) const;  // valid as long as the query
  bool is_of_table(int column) const;       // no expression

  // Columns count from 0. Views are valid until the next step, reset or bind.
  bool is_null(int column) const;
  bool is_integer(int column) const;
  bool is_number(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  // the bytes of a text or a blob; empty for NULL

 private:
  friend class ReadOnlyDatabase;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  Query(const ReadOnlyDatabase& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}

  const ReadOnlyDatabase* database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

// A read-only connection to an agent's database. Never writes or checkpoints it, and holds no lock longer than a
// statement or a ReadTransaction. One thread at a time. Close it before the file is opened otherwise: closing any
// descriptor of the file drops the locks of the whole process (https://sqlite.org/howtocorrupt.html, 2.2).
//
// A database in rollback mode is read under SHARED locks, which make its writer wait: keep statements to a few
// milliseconds. In WAL mode readers do not block. A database that nobody has open (no -wal, or an empty one and no
// -shm), or whose folder is not writable, is read without locks, so that no -wal or -shm is created beside it. So is an
// empty file: opencode 1.18 sets the WAL mode before its busy timeout, and fails while somebody has a lock. A
// concurrent write then gives Errc::busy. So is one whose log has lost its index (-shm), as after a crash or in a copy;
// the log is then read from its start with each connection. An existing index is only read. Nothing is ever created
// beside the database.
//
// The schema is not trusted: views are not read, and of the functions in its expressions only SQLite's harmless ones
// are called. JSON functions fail when they are called, in statements, too, but a schema that names them is read.
//
// Errors: Errc::busy (locked, or changed while read without locks), Errc::not_found, Errc::permission, Errc::io (also
// for a damaged file or one that is no database; see the error's context).
class ReadOnlyDatabase {
 public:
  static Result<std::unique_ptr<ReadOnlyDatabase>> open(const FileView& files, const std::string& path);
  ~ReadOnlyDatabase();
  ReadOnlyDatabase(const ReadOnlyDatabase&) = delete;
  ReadOnlyDatabase& operator=(const ReadOnlyDatabase&) = delete;

  Result<Query> prepare(std::string_view sql) const;
  Result<bool> has_table(std::string_view table) const;
  Result<bool> has_column(std::string_view table, std::string_view column) const;

  // Validates what was read so far. Errc::busy when the database was read without locks and changed meanwhile. Call
  // before using the results.
  Result<void> confirm() const;

  const std::string& path() const { return path_; }
  sqlite3* handle() const { return database_.get(); }
  Error error(int code) const;  // error of a failed call on handle()

 private:
  struct Closer {
    void operator()(sqlite3* database) const noexcept;
  };
  ReadOnlyDatabase(const FileView& files, std::string path) : files_(files), path_(std::move(path)) {}
  static Result<std::unique_ptr<ReadOnlyDatabase>> attempt(const FileView& files, const std::string& path);
  int open_as(Access access);
  bool changed() const;

  const FileView& files_;
  std::string path_;
  std::string mark_;  // change mark of the files when reading without locks began
  std::unique_ptr<sqlite3, Closer> database_;
};

// A read transaction: several statements that see one state of the database. Ends with its lifetime. Borrows
// `database`; same thread.
class ReadTransaction {
 public:
  explicit ReadTransaction(const ReadOnlyDatabase& database);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

 private:
  const ReadOnlyDatabase& database_;
};

// Measures the values of a column row by row without reading them. Holds a read transaction during its lifetime. One
// thread at a time; the database must outlive it.
class ValueSize {
 public:
  // `table` and `column` are not validated.
  ValueSize(const ReadOnlyDatabase& database, std::string table, std::string column);
  ~ValueSize();
  ValueSize(const ValueSize&) = delete;
  ValueSize& operator=(const ValueSize&) = delete;

  // Returns the value's size in bytes; nullopt for NULL. A number counts as the length of its text. Errc::not_found
  // when the row is gone.
  Result<std::optional<std::uint64_t>> of(std::int64_t rowid);

 private:
  struct Closer {
    void operator()(sqlite3_blob* blob) const noexcept;
  };
  const ReadOnlyDatabase& database_;
  std::string table_;
  std::string column_;
  std::unique_ptr<sqlite3_blob, Closer> blob_;
};

// Returns a short text that differs when the database may have been written. It contains the file's change counter and
// size; the salts and size of the write-ahead log; the last commit in the log's index (-shm); and modification times
// (https://sqlite.org/fileformat2.html). A checkpoint changes it, too. Reads less than 300 bytes and takes no lock.
// Must not be called while a ReadOnlyDatabase with locks is open on the file (see there).
// Errc::not_found, Errc::permission, Errc::io.
Result<std::string> change_mark(const FileView& files, const std::string& path);

// The state of the database files, determined without opening the database.
struct FileState {
  bool is_database = false;  // has the magic, or is empty
  bool is_empty = false;     // has no bytes, as a database that its writer has just created
  bool write_ahead = false;  // WAL mode
  bool has_log = false;      // a non-empty -wal exists
  bool has_index = false;    // a -shm exists
  bool has_journal = false;  // a transaction in rollback mode is in progress, or was interrupted
};
Result<FileState> file_state(const FileView& files, const std::string& path);

}  // namespace memd::sqlite

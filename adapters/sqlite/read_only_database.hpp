#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_blob;
struct sqlite3_stmt;

namespace memd::sqlite {

class ReadOnlyDatabase;
enum class Access : unsigned char;

// A SELECT on a database of an agent. Without a ReadTransaction around it, it is a read transaction of its own: from
// the first step to the last step, a reset or its destruction. One thread at a time; the database outlives it.
class Query {
 public:
  Query(Query&&) noexcept = default;
  Query& operator=(Query&&) noexcept = default;

  // Parameters count from 1. The text must live until the statement is stepped to its end or reset.
  Query& bind(int parameter, std::string_view text);
  Query& bind(int parameter, std::int64_t value);

  // True when there is a row. After the last one the query is reset: it can be bound and stepped again.
  Result<bool> step();
  void reset();

  // Columns count from 0. Views are valid until the next step, reset or bind.
  bool is_null(int column) const;
  bool is_integer(int column) const;
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

// A database that belongs to an agent, for reading only. Nothing is written to it, it is never checkpointed, and no
// lock outlasts a statement. One thread at a time. Close it before the next look at the file: closing any descriptor of
// the file drops the locks of the whole process (https://sqlite.org/howtocorrupt.html, 2.2).
//
// A database in rollback mode is read under SHARED locks, which make its writer wait: keep statements to a few
// milliseconds. In WAL mode readers do not block. A database that nobody has open (no -wal, or an empty one and no
// -shm), or whose folder cannot be written, is read without locks, so that no -wal or -shm is left beside it. A write
// meanwhile makes that Errc::busy. The index of a log (-shm) is read, not made; only where a crash or a copy left a log
// without one, it is made anew, as any reader does.
//
// Errors: Errc::busy (locked, or changed while read without locks), Errc::not_found, Errc::permission, Errc::io (also
// for a damaged file or one that is no database; the context tells).
class ReadOnlyDatabase {
 public:
  static Result<std::unique_ptr<ReadOnlyDatabase>> open(const FileView& files, const std::string& path);
  ~ReadOnlyDatabase();
  ReadOnlyDatabase(const ReadOnlyDatabase&) = delete;
  ReadOnlyDatabase& operator=(const ReadOnlyDatabase&) = delete;

  Result<Query> prepare(std::string_view sql) const;
  Result<bool> has_table(std::string_view table) const;
  Result<bool> has_column(std::string_view table, std::string_view column) const;

  // Confirms what was read so far. Errc::busy when the database was read without locks and changed meanwhile. Ask
  // before using the results.
  Result<void> confirm() const;

  bool locks() const { return mark_.empty(); }
  const std::string& path() const { return path_; }
  sqlite3* handle() const { return database_.get(); }
  Error error(int code) const;  // of a call on handle()

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
  std::string mark_;  // of the files when a reading without locks began
  std::unique_ptr<sqlite3, Closer> database_;
};

// Several statements that see one state of the database. Ends with its life. Borrows `database`: its thread.
class ReadTransaction {
 public:
  explicit ReadTransaction(const ReadOnlyDatabase& database);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

 private:
  const ReadOnlyDatabase& database_;
};

// Tells how many bytes the value of a column takes, row by row, without reading the value. Holds a read transaction
// while it lives. One thread at a time; the database outlives it.
class ValueSize {
 public:
  // Names of a table and a column of it; they are not checked.
  ValueSize(const ReadOnlyDatabase& database, std::string table, std::string column);
  ~ValueSize();
  ValueSize(const ValueSize&) = delete;
  ValueSize& operator=(const ValueSize&) = delete;

  // nullopt for NULL. A number counts as many bytes as its text has. Errc::not_found when the row is gone.
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

// A short text that differs when the database may have been written to. It holds the change counter and the size of the
// file; the salts and the size of the write-ahead log and the last commit in its index (-shm); and times of writing
// (https://sqlite.org/fileformat2.html). A checkpoint changes it, too. Reads less than 300 bytes and takes no lock.
// Not while a ReadOnlyDatabase with locks is open on the file (see there).
// Errc::not_found, Errc::permission, Errc::io.
Result<std::string> change_mark(const FileView& files, const std::string& path);

// What the file header says, without opening the database.
struct FileState {
  bool is_database = false;  // has the magic, or is empty, as new databases are
  bool write_ahead = false;  // WAL mode
  bool has_log = false;      // a -wal that is not empty
  bool has_index = false;    // a -shm
  bool has_journal = false;  // a transaction in rollback mode is under way, or was cut short
};
Result<FileState> file_state(const FileView& files, const std::string& path);

}  // namespace memd::sqlite

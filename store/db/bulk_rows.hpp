#pragma once

#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3_blob;

// Many rows of a table at a time, for less than a statement a row costs.
namespace memd::sqlite {

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

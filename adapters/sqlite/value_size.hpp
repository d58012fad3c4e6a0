#pragma once

#include "adapters/sqlite/read_only_database.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

struct sqlite3_blob;

namespace memd::sqlite {

// Tells how many bytes the value of a column takes, row by row, without reading it: of a long one only the first page.
// Holds a read transaction while it lives.
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

}  // namespace memd::sqlite

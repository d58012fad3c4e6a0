#include "adapters/sqlite/value_size.hpp"

#include <sqlite3.h>

#include <utility>

namespace memd::sqlite {

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

}  // namespace memd::sqlite

#include "store/db/bulk_rows.hpp"

namespace memd::sqlite {

bool BlobReader::read(std::int64_t rowid, std::string& out) {
  const int code = blob_ != nullptr ? sqlite3_blob_reopen(blob_, rowid)
                                    : sqlite3_blob_open(db_.handle(), "main", table_, column_, rowid, 0, &blob_);
  if (code != SQLITE_OK) {
    close();  // a handle that failed stays useless
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

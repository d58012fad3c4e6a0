#pragma once

#include "store/db/database.hpp"
#include "store/db/snapshot.hpp"
#include "store/read/day_slices.hpp"
#include "store/reader.hpp"
#include "store/search/rank/hybrid_search.hpp"
#include "store/search/words/document_lengths.hpp"

#include <sys/types.h>

#include <memory>
#include <utility>

// What the files of Reader's members share. Private to them.
namespace memd {

struct ReaderFileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const ReaderFileIdentity&) const = default;
};

struct Reader::Connection {
  Connection(const std::filesystem::path& file, ReaderFileIdentity id)
      : db(sqlite::Database::open(file, sqlite::OpenMode::read_only)), identity(id) {}

  sqlite::Database db;
  queries::DaySessions days{db};
  ReaderFileIdentity identity;
  std::unique_ptr<search::HybridSearch> search;  // made outside of transactions: it has a table of its own
};

template <class T, class F>
Result<T> Reader::ask(T empty, F&& f) {
  return sqlite::guard([&]() -> T {
    if (stop_.stop_requested()) throw ErrorException(Error(Errc::cancelled, "cancelled"));
    if (!connect()) return std::move(empty);
    const sqlite::Snapshot snapshot(connection_->db);
    return f(*connection_);
  });
}

}  // namespace memd

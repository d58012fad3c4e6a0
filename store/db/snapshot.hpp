#pragma once

#include "store/db/database.hpp"

#include <sqlite3.h>

namespace memd::sqlite {

// While it lives, all statements see one state of the store, and lock it once. Within somebody's transaction: that
// one's state.
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

}  // namespace memd::sqlite

#include "store/db/database.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace memd {
namespace {

using sqlite::Database;

void check_titles(Database& db) {
  db.exec("INSERT INTO session_titles (session_titles, rank) VALUES ('integrity-check', 1)");
}

std::int64_t found(Database& db, std::string_view word) {
  auto& q = db.prepare("SELECT count(*) FROM session_titles WHERE session_titles MATCH ?1").bind(word);
  q.step();
  const std::int64_t out = q.int64(0);
  q.reset();
  return out;
}

TEST(SessionTitles, AgreeWithTheirContentWhateverHasATitle) {
  test::StoreFixture store;
  const auto named = store.session({.native_id = "a", .title = "Sockets"});
  const auto untitled = store.session({.native_id = "b"});
  check_titles(store.db());
  const auto rename = [&](std::int64_t session, std::string_view title) {
    store.db().prepare("UPDATE sessions SET title = ?2 WHERE session_pk = ?1").bind(session, title).run();
    check_titles(store.db());
  };
  rename(untitled, "More sockets");
  EXPECT_EQ(found(store.db(), "socket"), 2);
  rename(named, "");
  EXPECT_EQ(found(store.db(), "socket"), 1);
  store.db().prepare("DELETE FROM sessions WHERE session_pk = ?1").bind(untitled).run();
  check_titles(store.db());
  EXPECT_EQ(found(store.db(), "socket"), 0);
}

}  // namespace
}  // namespace memd

// Kills a process that creates or migrates a store at random moments. The store it leaves has an intermediate version
// and is complete, and the next start continues. MEMD_KILLS sets the number of kills.
#include "schemas/base/embedded.hpp"
#include "test/fault/prepared_store.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/mixed_store.hpp"

#include <gtest/gtest.h>

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <set>

namespace memd {
namespace {

namespace fs = std::filesystem;

// Two migrations that a later memd may have: one that changes the schema alone, one that writes every row.
const std::vector<Migration>& later_migrations() {
  static const std::vector<Migration> all = [] {
    std::vector<Migration> out = migrations();
    out.push_back({out.back().version + 1, "0002_schema.sql", "ALTER TABLE sessions ADD COLUMN later TEXT;"});
    out.push_back({out.back().version + 1, "0003_rows.sql",
                   "CREATE TABLE copies (exchange_pk INTEGER PRIMARY KEY, text TEXT) STRICT;"
                   "INSERT INTO copies SELECT exchange_pk, user_message FROM exchanges;"
                   "UPDATE exchanges SET ingested_at = ingested_at + 1;"
                   "UPDATE sessions SET later = title;"
                   "CREATE INDEX sessions_later ON sessions (later);"});
    return out;
  }();
  return all;
}

class MigrationKill : public testing::Test {
 protected:
  // Puts the older store in the place of `store`.
  void prepare() const {
    fs::remove_all(store.data_dir());
    fs::create_directories(store.data_dir());
    if (older) fs::copy_file(older->database(), store.database());
  }
  // Migrates it.
  bool work() const {
    return sqlite::guard([&] {
             auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
             sqlite::migrate(db, later_migrations(), "the store");
           })
        .has_value();
  }
  std::vector<std::string> rows() const {
    auto out = test::dump_with_keys(store);
    auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
    for (const char* sql : {"SELECT * FROM copies ORDER BY 1", "SELECT uid, later FROM sessions ORDER BY 1",
                            "SELECT exchange_pk, ingested_at FROM exchanges ORDER BY 1"})
      test::append_rows(out, db, sql);
    return out;
  }

  const test::TempDir dir;
  const StoreLayout store{dir / "store"};
  std::optional<StoreLayout> older;  // none: the first start of all
};

TEST_F(MigrationKill, AtRandomMomentsTheNextStartGoesOn) {
  const test::MixedStore mixed;
  older = mixed.layout();
  prepare();
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(work());
  auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
  const auto want = rows();
  ASSERT_GT(want.size(), 100U);

  std::mt19937 random(37);
  int kills = 0;
  const int wanted = test::wanted_kills(8);
  while (kills < wanted) {
    prepare();
    const std::chrono::microseconds lifetime(1 + random() % static_cast<std::uint32_t>(whole.count()));
    if (!test::killed_during([&] { return work(); }, lifetime)) {
      whole = lifetime;  // the machine is faster now
      continue;
    }
    ++kills;
    {
      auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
      sqlite::Statement check(db.handle(), "PRAGMA integrity_check");
      ASSERT_TRUE(check.step());
      ASSERT_EQ(check.text(0), "ok");
    }
    ASSERT_TRUE(work());
    ASSERT_EQ(test::rows_of_one(rows(), want), std::vector<std::string>());
  }
  RecordProperty("kills", kills);
}

// Counts down the SQL statements of this process, and ends it in front of the last one.
int statements_left = 0;

int end_at_last_statement(unsigned, void*, void*, void*) {
  if (--statements_left == 0) ::_exit(9);
  return 0;
}

int watch_statements(sqlite3* database, char**, const struct sqlite3_api_routines*) {
  return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, end_at_last_statement, nullptr);
}

// MEMD_KILLS sets how many statements are drawn, evenly; by default 24.
TEST_F(MigrationKill, AtAnyStatementTheNextStartGoesOn) {
  // Returns whether the process ended in front of its nth statement.
  const auto ends_at = [&](int nth) {
    const pid_t child = ::fork();
    if (child == 0) {
      statements_left = nth;
      sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch_statements));
      ::_exit(work() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 1) << "statement " << nth;
    return WIFEXITED(status) && WEXITSTATUS(status) == 9;
  };
  const auto tables = [&] {
    std::vector<std::string> out;
    auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
    test::append_rows(out, db, "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2");
    test::append_rows(out, db, "SELECT path, cursor, size FROM sources ORDER BY 1");
    out.push_back(std::to_string(db.pragma("user_version")));
    return out;
  };
  int last = 1;  // statements of a whole start
  for (prepare(); ends_at(last); last *= 2)
    prepare();
  prepare();
  ASSERT_TRUE(work());
  const auto want = tables();
  const int step = std::max(last / 2 / test::wanted_kills(24), 1);
  int kills = 0;
  std::set<std::int64_t> versions;
  for (int nth = 1; nth < last; nth += step) {
    prepare();
    if (!ends_at(nth)) break;
    ++kills;
    versions.insert(sqlite::Database::open(store.database(), sqlite::OpenMode::read_write).pragma("user_version"));
    ASSERT_TRUE(work()) << "after statement " << nth;
    ASSERT_EQ(tables(), want) << "after statement " << nth;
  }
  EXPECT_GE(kills, std::min(test::wanted_kills(24), 20));
  EXPECT_GE(versions.size(), 2U) << "none was ended between two versions";
  RecordProperty("kills", kills);
}

}  // namespace
}  // namespace memd

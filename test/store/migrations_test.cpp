#include "schemas/embedded.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace memd {
namespace {

std::vector<std::string> schema_of(sqlite::Database& db) {
  std::vector<std::string> out;
  auto& q = db.prepare("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1");
  while (q.step())
    out.push_back(q.str(0));
  q.reset();
  return out;
}

// A store migrated one step at a time, over separate connections, has the schema of a fresh one.
TEST(Migrations, FreshEqualsMigrated) {
  const auto dir = std::filesystem::path(testing::TempDir()) / "memd-migrations";
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  auto fresh = sqlite::Database::open(dir / "fresh.db", sqlite::OpenMode::read_write);
  sqlite::migrate(fresh);

  for (const auto& m : migrations()) {
    auto stepwise = sqlite::Database::open(dir / "stepwise.db", sqlite::OpenMode::read_write);
    sqlite::Transaction tx(stepwise);
    stepwise.exec(std::string(m.sql).c_str());
    stepwise.exec(("PRAGMA user_version = " + std::to_string(m.number)).c_str());
    tx.commit();
  }
  auto stepwise = sqlite::Database::open(dir / "stepwise.db", sqlite::OpenMode::read_write);
  sqlite::migrate(stepwise);
  EXPECT_EQ(schema_of(fresh), schema_of(stepwise));
  EXPECT_EQ(fresh.pragma("user_version"), static_cast<std::int64_t>(migrations().size()));
  EXPECT_EQ(fresh.pragma("foreign_key_check"), 0);
}

TEST(Migrations, NewerStoreIsRefusedUntouched) {
  auto db = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  db.exec("PRAGMA user_version = 9999");
  const auto r = sqlite::guard([&] { sqlite::migrate(db); });
  ASSERT_FALSE(r);
  EXPECT_TRUE(r.error().is(Errc::store_version));
  EXPECT_EQ(db.pragma("user_version"), 9999);
}

TEST(Migrations, DiagnosticsMustBeRedacted) {
  auto db = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  sqlite::migrate(db);
  const auto insert = [&](int redacted, std::int64_t expires) {
    return sqlite::guard([&] {
      db.prepare(
            "INSERT INTO diagnostics (time, platform, error_type, severity, redacted, expires_at)"
            " VALUES (1, 'claude_code', 'damaged_record', 0, ?, ?)")
          .bind(redacted, expires)
          .run();
    });
  };
  EXPECT_TRUE(insert(1, 1 + kDiagnosticRetention));
  EXPECT_FALSE(insert(0, 1 + kDiagnosticRetention));
  EXPECT_FALSE(insert(1, 2));
}

}  // namespace
}  // namespace memd

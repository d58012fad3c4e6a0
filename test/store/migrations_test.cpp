#include "schemas/embedded.hpp"
#include "schemas/error.hpp"
#include "schemas/timestamp.hpp"
#include "store/db/database.hpp"
#include "test/support/golden_file.hpp"
#include "test/support/source_dir.hpp"

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

// Returns every statement of the schema, and the settings of full-text tables.
std::string script_of(sqlite::Database& db) {
  std::string out =
      "-- The tables of a new store, as the migrations leave them. Not to be edited: test_store writes this file with\n"
      "-- --update-golden.\n";
  auto& q = db.prepare(
      "SELECT name, sql, type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %' FROM sqlite_schema WHERE sql IS NOT NULL"
      " AND name NOT LIKE 'sqlite_%'"
      " AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid");
  while (q.step()) {
    const std::string name = q.str(0);
    out += '\n' + q.str(1) + ";\n";
    if (q.int64(2) == 0) continue;
    auto& settings = db.prepare("SELECT k, v FROM " + name + "_config WHERE k <> 'version' ORDER BY k");
    while (settings.step())
      out += "INSERT INTO " + name + " (" + name + ", rank) VALUES ('" + settings.str(0) + "', " + settings.str(1) +
             ");\n";
  }
  return out;
}

// Returns the row counts of all ordinary and shadow tables, and the settings of the full-text tables.
std::vector<std::string> rows_of(sqlite::Database& db) {
  std::vector<std::string> tables;
  auto& q = db.prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')"
      " AND name NOT LIKE 'sqlite_%' ORDER BY 1");
  while (q.step())
    tables.push_back(q.str(0));
  std::vector<std::string> out;
  for (const std::string& table : tables) {
    auto& count = db.prepare("SELECT count(*) FROM \"" + table + '"');
    count.step();
    out.push_back(table + ' ' + std::to_string(count.int64(0)));
  }
  for (const char* settings : {"exchanges_fts_config", "session_titles_config"}) {
    auto& row = db.prepare("SELECT k || ' = ' || v FROM " + std::string(settings) + " ORDER BY k");
    while (row.step())
      out.push_back(row.str(0));
  }
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
  EXPECT_EQ(rows_of(fresh), rows_of(stepwise));
  test::expect_golden(test::source_dir() / "schemas/sql/new_store/store.sql", script_of(stepwise));
  EXPECT_EQ(fresh.pragma("user_version"), newest_schema_version());
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

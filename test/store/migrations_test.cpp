#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/db/database.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace memd {
namespace {

TEST(Migrations, AStoreOfAnotherMemdIsRefusedUntouched) {
  for (const auto& [version, code] : {std::pair{9999, Errc::store_version}, std::pair{24, Errc::unsupported}}) {
    auto db = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
    db.exec(("PRAGMA user_version = " + std::to_string(version)).c_str());
    const auto r = sqlite::guard([&] { sqlite::migrate(db); });
    ASSERT_FALSE(r);
    EXPECT_TRUE(r.error().is(code)) << r.error().message();
    EXPECT_EQ(db.pragma("user_version"), version);
    EXPECT_EQ(db.pragma("schema_version"), 0);
  }
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

// Of a store in which sentences were decisions, what a client recorded and what a model judged stays.
TEST(Migrations, ADecisionIsWhatAPersonChose) {
  auto db = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  std::vector<Migration> all = migrations();
  const auto before =
      std::find_if(all.begin(), all.end(), [](const Migration& m) { return m.name == "0004_chosen_decisions.sql"; });
  ASSERT_NE(before, all.end());
  sqlite::migrate(db, {all.begin(), before}, "memd.db");
  db.exec("INSERT INTO sessions (session_pk, uid, platform, native_id) VALUES (1, 'codex:a', 'codex', 'a')");
  const auto decide = [&](int seq, int kind, int flags, int origin, const std::string& judge) {
    db.run(
        "INSERT INTO events (session_pk, seq, event_id, time, kind, flags, origin) VALUES (1, ?1, ?1, 1, ?2, ?3, ?4)",
        seq, kind, flags, origin);
    db.run(
        "INSERT INTO observations (observation_pk, session_pk, event_seq, time, type, summary, content, content_hash)"
        " VALUES (?1, 1, ?1, 1, 'decision', '', '', ?1)",
        seq);
    db.run("INSERT INTO decisions (observation_pk, kind, decided_by, judged_by, shown) VALUES (?1, 0, 0, ?2, 1)", seq,
           judge);
  };
  decide(0, 10, 0, 6, "");    // a dialog
  decide(1, 0, 0, 4, "");     // a plan handed over
  decide(2, 0, 0, 1, "");     // a sentence of a prompt
  decide(3, 10, 128, 0, "");  // a sentence of an agent
  decide(4, 1, 0, 0, "a model");
  sqlite::migrate(db);
  std::string left;
  auto& q = db.query("SELECT observation_pk FROM observations ORDER BY 1");
  while (q.step())
    left += q.str(0) + " ";
  EXPECT_EQ(left, "0 1 4 ");
  EXPECT_EQ(db.query("SELECT count(*) FROM decisions").value_or(0), 3);
}

// Returns the columns of a table without a comment: at the end of their line, above it, or above a group of columns.
std::vector<std::string> unexplained_columns(sqlite::Database& db, const std::string& table, const std::string& sql) {
  std::vector<std::string> out;
  std::istringstream lines(sql);
  bool explained = false;  // by a comment above
  for (std::string line; std::getline(lines, line);) {
    const auto word = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    const std::string name = word.substr(0, word.find(' '));
    auto& column = db.prepare("SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2").bind(table, name);
    const bool is_column = column.step();
    column.reset();
    if (name == "--") explained = true;
    if (!is_column) continue;
    if (line.find(" -- ") != std::string::npos)
      explained = false;
    else if (!explained)
      out.push_back(table + '.' + name);
  }
  return out;
}

// The files in schemas/sql are the reference: they say what every column holds, and SQLite keeps what they say.
TEST(StoreFormat, EveryTableAndColumnIsExplained) {
  const std::vector<Migration>* const files[] = {&migrations(), &summaries_migrations()};
  for (const auto* all : files) {
    auto db = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
    sqlite::migrate(db, *all, "the file");
    std::string text;
    for (const Migration& m : *all)
      text += m.sql;
    auto& tables = db.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE %'"
        " AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') AND name NOT LIKE 'sqlite_%'");
    int count = 0;
    while (tables.step()) {
      ++count;
      const std::string table = tables.str(0);
      EXPECT_EQ(unexplained_columns(db, table, tables.str(1)), std::vector<std::string>());
      const auto at = text.find("\nCREATE TABLE " + table + " (");
      ASSERT_NE(at, std::string::npos) << table;
      EXPECT_EQ(text.compare(text.rfind('\n', at - 1) + 1, 3, "-- "), 0) << table;
    }
    EXPECT_GE(count, 3);
  }
}

}  // namespace
}  // namespace memd

#include "schemas/embedded.hpp"
#include "store/db/database.hpp"
#include "test/support/source_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

namespace memd {
namespace {

using Tables = std::map<std::string, std::set<std::string>>;

// Reads the tables of docs/store-format.md. "### `name`" begins a table; the names in backticks in the first cell of
// the rows below are its columns.
Tables documented_tables() {
  Tables tables;
  std::set<std::string>* columns = nullptr;
  std::ifstream in(test::source_dir() / "docs/store-format.md");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#"))
      columns = line.starts_with("### `") ? &tables[line.substr(5, line.find('`', 5) - 5)] : nullptr;
    if (!columns || !line.starts_with("| `")) continue;
    const auto cell = line.substr(0, line.find('|', 1));
    for (auto open = cell.find('`'); open != std::string::npos;) {
      const auto close = cell.find('`', open + 1);
      columns->insert(cell.substr(open + 1, close - open - 1));
      open = cell.find('`', close + 1);
    }
  }
  return tables;
}

void add_tables(sqlite::Database& db, Tables& tables) {
  auto& rows = db.prepare(
      "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c"
      " WHERE t.schema = 'main' AND t.type IN ('table', 'virtual') AND t.name NOT LIKE 'sqlite_%'");
  while (rows.step())
    tables[std::string(rows.str(0))].insert(std::string(rows.str(1)));
  rows.reset();
}

Tables migrated_tables() {
  Tables tables;
  auto store = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  sqlite::migrate(store);
  add_tables(store, tables);
  auto summaries = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  sqlite::migrate(summaries, summaries_migrations(), "summaries.db");
  add_tables(summaries, tables);
  return tables;
}

TEST(StoreFormat, DocumentNamesEveryTableAndColumn) {
  const auto tables = migrated_tables();
  ASSERT_TRUE(tables.contains("events"));
  EXPECT_EQ(documented_tables(), tables);
}

}  // namespace
}  // namespace memd

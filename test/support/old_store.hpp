#pragma once

#include "schemas/embedded.hpp"
#include "store/db/database.hpp"

#include <string>

namespace memd::test {

// Creates the tables of schema version `version` in an empty database.
inline void make_tables_of(sqlite::Database& db, int version) {
  for (const auto& m : migrations())
    if (m.number <= version) db.exec(std::string(m.sql).c_str());
  db.exec(("PRAGMA user_version = " + std::to_string(version)).c_str());
}

}  // namespace memd::test

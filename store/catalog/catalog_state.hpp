#pragma once

#include "schemas/base/timestamp.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::catalog {

// Whether the rows match the files. Stored: append, never renumber.
//   valid ── damage is found ──► corrupted ──► rebuilding ──► valid
enum class CatalogState : std::uint8_t { valid = 0, corrupted = 1, rebuilding = 2 };
std::string_view to_string(CatalogState state);

// The catalog's stored status. Corrupted if its tables are missing.
struct CatalogStatus {
  CatalogState state = CatalogState::corrupted;
  std::int64_t generation = 0;  // grows with each change
  std::int64_t docs = 0;        // files, valid or not
  std::string model;            // of the vectors; empty: no vectors
  std::string reason;           // of the last rebuild
  TimeMs built_at = 0;          // end of the last rebuild; 0: none
  std::int64_t built_ms = 0;    // duration of the last rebuild
};

struct CatalogStatusQuery {
  using Answer = CatalogStatus;
  Answer run(sqlite::Database& db) const;
};

// Counts of the catalog's content.
struct CatalogFigures {
  std::int64_t memories = 0;               // searchable memories
  std::int64_t agent_files = 0;            // instructions and notes of agents, not counted in `memories`
  std::int64_t invalid = 0;                // files that break a rule of their dialect
  std::vector<std::string> invalid_files;  // the first of them by path
  TimeMs read_at = 0;                      // time of the last file read; 0: never
  std::string damage;                      // what is wrong with the tables; empty: nothing found by a quick check
};

struct CatalogFiguresQuery {
  int most_files = 5;
  using Answer = CatalogFigures;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd::catalog

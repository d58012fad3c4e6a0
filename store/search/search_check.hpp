#pragma once

#include "schemas/error.hpp"
#include "store/db/database.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace memd {

struct SearchCheck {
  std::string damage;     // what of the tables that searches read is wrong; empty: nothing
  bool complete = false;  // all of it was looked at, within the time
};

// Reads what searches read: all pages of the full-text indexes, and the sizes of all vectors. SQLite's own check looks
// at none of it. Opens a connection of its own and stops after `limit`. Any thread.
Result<SearchCheck> check_search(const std::filesystem::path& database, std::chrono::milliseconds limit);

// Makes the full-text indexes anew from the rows of exchanges and sessions, and has vectors that cannot be used made
// anew by the enrichment. Nothing else is read, nothing is lost. In the caller's transaction. Throws ErrorException.
void mend_search(sqlite::Database& db);

}  // namespace memd

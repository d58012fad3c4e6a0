#pragma once

#include "schemas/base/result.hpp"
#include "store/db/database.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace memd {

struct SearchCheck {
  std::string damage;     // description of the first damage found in the tables that searches read; empty: none
  bool complete = false;  // the check finished within the time limit
};

// Checks the data that searches read: all pages of the full-text indexes, and the sizes of all vectors. SQLite's
// integrity check covers none of it. Opens a connection of its own and stops after `limit`. Any thread.
Result<SearchCheck> check_search(const std::filesystem::path& database, std::chrono::milliseconds limit);

// Rebuilds the full-text indexes from the rows of exchanges and sessions. Deletes unusable vectors and queues their
// exchanges, so that the enrichment computes them again. No content is lost. Runs in the caller's transaction. Throws
// ErrorException.
void repair_search_index(sqlite::Database& db);

}  // namespace memd

#pragma once

#include "store/db/database.hpp"

#include <string>
#include <vector>

// What search looks up by name. Throw ErrorException.
namespace memd::enrichment {

// Enters the names (as extract_identifiers() gives them) under each of their parts. Which exchange they are of stands
// in the full-text index alone.
void save_identifiers(sqlite::Database& db, const std::vector<std::string>& identifiers);
// Forgets names that no exchange holds any more.
void prune_identifiers(sqlite::Database& db);

}  // namespace memd::enrichment

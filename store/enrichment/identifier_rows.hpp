#pragma once

#include "schemas/ids.hpp"
#include "store/sqlite/database.hpp"

#include <string>
#include <vector>

// What search looks up by name. Throw ErrorException.
namespace memd::enrichment {

// Enters the names (as extract_identifiers() gives them) under each of their parts. Which exchange they are of stands
// in the full-text index alone.
void save_identifiers(sqlite::Database& db, const std::vector<std::string>& identifiers);
// Notes which tools the exchange's session has called.
void save_tools(sqlite::Database& db, ExchangeId id);
// Forgets names that no exchange holds any more.
void prune_identifiers(sqlite::Database& db);

}  // namespace memd::enrichment

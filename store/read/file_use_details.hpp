#pragma once

#include "schemas/file_history.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <vector>

// The parts of file_history. Members throw ErrorException.
namespace memd::queries {

std::string path_of(sqlite::Database& db, std::int64_t path_pk);

// Fills what stands behind `files`: the words, the outcome, the commit.
void add_details(sqlite::Database& db, FileUse& use);

FileUseSession session_of_use(sqlite::Database& db, std::int64_t session_pk);

// Edits of the file that the exchange made, in order.
std::vector<EditPlace> edits_of(sqlite::Database& db, ExchangeId exchange, std::int64_t path_pk);

}  // namespace memd::queries

#pragma once

#include "schemas/file_history.hpp"
#include "store/db/database.hpp"

#include <string_view>

// Members throw ErrorException.
namespace memd::queries {

// The stored paths that `text` means: a whole path; the end of one ("store/reader.cpp", "reader.cpp"); a directory,
// whole or its end ("src/store", or "src/store/" to say that no file is meant); a pattern with *, ? and [ ], of names
// when it has no '/' ("*.sql"), else of the end of paths, where '*' stands for anything.
PathFinding find_paths(sqlite::Database& db, std::string_view text);

}  // namespace memd::queries

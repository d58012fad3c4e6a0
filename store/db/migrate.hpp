#pragma once

#include "schemas/migrations.hpp"
#include "store/db/database.hpp"

#include <string_view>
#include <vector>

namespace memd::sqlite {

// Brings a file to the newest of `all`; `file` names it in Errc::store_version, when it is newer than this binary.
// Several processes may do it at once.
void migrate(Database& db, const std::vector<Migration>& all, std::string_view file);

}  // namespace memd::sqlite

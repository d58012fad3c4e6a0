#pragma once

#include <string_view>
#include <vector>

namespace memd {

// schemas/sql/NNNN_name.sql, in order. Applying number N leaves PRAGMA user_version = N.
struct Migration {
  int number = 0;
  std::string_view name;
  std::string_view sql;
};

const std::vector<Migration>& migrations();
// Likewise schemas/sql/summaries, for summaries.db.
const std::vector<Migration>& summaries_migrations();

}  // namespace memd

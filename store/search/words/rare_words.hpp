#pragma once

#include "store/db/database.hpp"

#include <cstdint>
#include <string_view>

namespace memd::search {

// Counts the words that two texts share and that at most one turn of thirty contains.
struct SharedRareWordsQuery {
  std::string_view text;
  std::string_view other;

  using Answer = std::int64_t;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd::search

#pragma once

#include "store/db/database.hpp"
#include "store/insight/continuity/name_weight.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd {

// Counts in how many sessions and projects each name occurs among the latest exchanges. Names are matched as the
// full-text index tokenizes them, so case is ignored.
struct NameSpreadQuery {
  std::vector<std::string> names;

  using Answer = std::vector<continuity::NameSpread>;  // parallel to `names`
  Answer run(sqlite::Database& db) const;
};

// Limits on the exchanges searched and on the hits read per name. They bound the query's cost regardless of the size of
// the store.
inline constexpr std::int64_t kSpreadExchanges = 20'000;
inline constexpr std::int64_t kSpreadHits = 120;

}  // namespace memd

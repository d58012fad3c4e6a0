#pragma once

#include "store/db/database.hpp"
#include "store/insight/continuity/name_weight.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd {

// In how many sessions and projects each of the names stands, as far as the latest exchanges tell. A name is looked for
// as the full-text index cuts it: upper and lower case are one.
struct NameSpreadQuery {
  std::vector<std::string> names;

  using Answer = std::vector<continuity::NameSpread>;  // of each name
  Answer run(sqlite::Database& db) const;
};

// At most so many of the latest exchanges are looked at, and so many that hold a name: what a question may cost hangs
// on no store's size.
inline constexpr std::int64_t kSpreadExchanges = 20'000;
inline constexpr std::int64_t kSpreadHits = 120;

}  // namespace memd

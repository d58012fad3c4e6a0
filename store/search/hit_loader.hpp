#pragma once

#include "schemas/query.hpp"
#include "store/search/passage.hpp"
#include "store/sqlite/database.hpp"

namespace memd::search {

// The texts around a ranked exchange. Throws ErrorException.
SearchHit load_hit(sqlite::Database& db, const PassageFinder& passages, ExchangeId id, double score);

}  // namespace memd::search

#pragma once

#include "schemas/query.hpp"
#include "store/db/database.hpp"
#include "store/search/words/passage.hpp"

namespace memd::search {

inline constexpr int kNoChunk = -1;

// The texts around a ranked exchange; its score is left to set. The snippet is taken from the chunk of its text
// (enrichment::chunks_of) when one is named and still there. Without session_uid: there is no such exchange, or none
// with a session. Throws ErrorException.
SearchHit load_hit(sqlite::Database& db, const PassageFinder& passages, ExchangeId id, int chunk = kNoChunk);

}  // namespace memd::search

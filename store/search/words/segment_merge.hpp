#pragma once

#include "store/db/database.hpp"

namespace memd::search {

// A question looks for each of its words in each segment of the full-text index, and every commit adds one. FTS5 merges
// as it writes, but leaves a dozen or more.
//
// Merges some, for a few milliseconds, in a transaction of its own. False: few are left, or no two of a size. Throws
// ErrorException.
bool merge_segments(sqlite::Database& db);

}  // namespace memd::search

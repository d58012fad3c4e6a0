#pragma once

#include "store/db/database.hpp"

#include <cstdint>

// How sessions ended, kept in their rows (`outcome`, `outcome_signs`). The rows of what was said and done have to be
// written before. Writer thread only, inside its transaction. Throws ErrorException.
namespace memd::assembly {

// Judges a session anew. What an evicted session was judged before stays: its rows are gone.
void store_outcome(sqlite::Database& db, std::int64_t session_pk);

// A subagent's report stands in the session that started it: judges anew those that wait for one.
void store_outcomes_of_subagents(sqlite::Database& db, std::int64_t parent_pk);

}  // namespace memd::assembly

#pragma once

#include "schemas/observation.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Rows of `observations` and `decisions`. For the writer, inside a transaction. Functions throw ErrorException.
namespace memd::observations {

inline constexpr std::size_t kSummaryBytes = 160;

// Stores the observation, and for a decision its parts. Returns its key, or nullopt if the session already has one with
// the same words.
std::optional<std::int64_t> save(sqlite::Database& db, const Observation& observation);

// Returns whether a decision may reverse an earlier one.
bool may_reverse(const Decision& decision);
// Marks the newest decision of the session before `later` that it reverses. `pk` is the row of `later`.
void mark_reversed(sqlite::Database& db, std::int64_t pk, const Observation& later);

// The decisions of one exchange according to a language model.
struct JudgedExchange {
  std::int64_t number = 0;
  std::vector<Decision> decisions;
};

// Replaces the judged decisions of the exchanges, and recomputes which decisions of the session were reversed. Those
// recorded by a client (choices in dialogs, accepted plans) stay. Ignores exchanges that no longer exist.
void replace_decisions(sqlite::Database& db, std::int64_t session_pk, const std::vector<JudgedExchange>& exchanges);

}  // namespace memd::observations

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

// Keeps the observation, a decision with its parts, and returns its key. Nothing: the session has one that says the
// same.
std::optional<std::int64_t> save(sqlite::Database& db, const Observation& observation);

// Whether a decision may take an earlier one back.
bool may_reverse(const Decision& decision);
// Marks the newest decision of the session before `later` that it takes back. `pk`: the row of `later`.
void mark_reversed(sqlite::Database& db, std::int64_t pk, const Observation& later);

// What a language model calls decisions of one exchange.
struct JudgedExchange {
  std::int64_t number = 0;
  std::vector<Decision> decisions;
};

// Puts judged decisions in the place of those that sentences were taken for, and marks anew which decisions of the
// session were taken back. What a client recorded stays: choices in dialogs and accepted plans. Leaves out exchanges
// that are not there any more.
void replace_decisions(sqlite::Database& db, std::int64_t session_pk, const std::vector<JudgedExchange>& exchanges);

}  // namespace memd::observations

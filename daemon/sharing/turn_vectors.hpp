#pragma once

#include "schemas/exchange_row.hpp"
#include "schemas/share.hpp"

namespace memd::sharing {

// Makes the vectors of an exchange for a team's database, from all of its text but very long ones. Those in the store
// come later, and are of the configured model. Thread-safe.
TeamVectors vectors_of(const ExchangeRow& exchange);

}  // namespace memd::sharing

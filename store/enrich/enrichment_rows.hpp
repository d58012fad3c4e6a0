#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"

// Replace what is stored of an exchange. Throw ErrorException.
namespace memd::enrichment {

void save_terms(sqlite::Database& db, ExchangeId id, const ExchangeTerms& terms);
void save_vectors(sqlite::Database& db, ExchangeId id, const ExchangeVectors& vectors);

}  // namespace memd::enrichment

#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"

#include <span>
#include <string>
#include <vector>

namespace memd::enrichment {

// Replace what is stored of an exchange. Throw ErrorException.
void save_terms(sqlite::Database& db, ExchangeId id, const ExchangeTerms& terms);
void save_vectors(sqlite::Database& db, ExchangeId id, const ExchangeVectors& vectors);

// What search looks up by name. Throw ErrorException.
// Enters the names (as extract_identifiers() gives them) under each of their parts. Which exchange they are of stands
// in the full-text index alone.
void save_identifiers(sqlite::Database& db, const std::vector<std::string>& identifiers);
// Forgets names that no exchange holds any more.
void prune_identifiers(sqlite::Database& db);

}  // namespace memd::enrichment

namespace memd::topics {

// Replaces the topics of an exchange. What stays is not written again. Throws ErrorException.
void save(sqlite::Database& db, ExchangeId id, std::span<const TopicMention> topics);

}  // namespace memd::topics

#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"

#include <span>
#include <string>
#include <vector>

namespace memd::enrichment {

// Rows of what was made of an exchange. On the thread of the writing connection, in its transaction; all functions
// throw ErrorException.

// Replace what is stored of an exchange.
void save_terms(sqlite::Database& db, ExchangeId id, const ExchangeTerms& terms);
void save_vectors(sqlite::Database& db, ExchangeId id, const ExchangeVectors& vectors);

// Enters names (as extract_identifiers() gives them) under each of their parts. The full-text index says which exchange
// holds them.
void save_identifiers(sqlite::Database& db, const std::vector<std::string>& identifiers);
// Deletes names that no exchange holds any more.
void prune_identifiers(sqlite::Database& db);

}  // namespace memd::enrichment

namespace memd::topics {

// Replaces the topics of an exchange. Topics that stay are not written again.
void save(sqlite::Database& db, ExchangeId id, std::span<const TopicMention> topics);

}  // namespace memd::topics

#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::enrichment {

// The queue of exchanges to enrich, what they are enriched with, and what of it is in the store. On the thread of the
// connection; all functions throw ErrorException.

// Queues an exchange whose text changed.
void enqueue(sqlite::Database& db, ExchangeId id);
// Queue all exchanges for new vectors, for new terms.
void enqueue_vectors_of_all(sqlite::Database& db);
void enqueue_terms_of_all(sqlite::Database& db);

// Stores what was made and takes it off the queue. An exchange whose text changed since stays in the queue; what was
// made is stored all the same, for it is nearer to the truth than what stood there. Skips exchanges that are gone.
void save(sqlite::Database& db, std::span<const Enrichment> made);

// Sets what exchanges are enriched with, and queues those whose vectors or terms were made with something else. Without
// a model, vectors stay as they are.
void set_target(sqlite::Database& db, const EnrichmentTarget& target);

// Deletes vectors of models that are not in `keep`, of `limit` exchanges at most. Returns of how many; 0: none are
// left.
std::int64_t drop_other_vectors(sqlite::Database& db, std::span<const std::string> keep, int limit);

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

namespace memd {

// Exchanges that lack one of the parts in `missing`, newest first, so that what is asked about most is there soonest.
// At most `limit` and about kMostPendingBytes.
inline constexpr std::size_t kMostPendingBytes = 4 << 20;
struct PendingEnrichmentQuery {
  unsigned missing = 0;  // bits
  int limit = 0;

  using Answer = std::vector<PendingExchange>;
  Answer run(sqlite::Database& db) const;
};

struct EnrichmentBacklogQuery {
  using Answer = EnrichmentBacklog;
  Answer run(sqlite::Database& db) const;
};

// Whose vectors are in the store.
struct EmbeddingModelsQuery {
  using Answer = EmbeddingModels;
  Answer run(sqlite::Database& db) const;
};

// The vectors that one model gave exchanges, in the order of `ids`; without chunks where there are none.
struct ExchangeVectorsQuery {
  std::span<const ExchangeId> ids;
  std::string_view model;

  using Answer = std::vector<ExchangeVectors>;
  Answer run(sqlite::Database& db) const;
  Answer without_store() const { return Answer(ids.size()); }
};

}  // namespace memd

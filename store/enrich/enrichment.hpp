#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/exchange_row.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::enrichment {

// The queue of exchanges to enrich, the target of enrichment, and its stored results. On the connection's thread; all
// functions throw ErrorException.

// Enqueues an exchange whose text changed, for its vector of the second look too.
void enqueue(sqlite::Database& db, ExchangeId id);
// Enqueue all exchanges for new vectors, or for new terms.
void enqueue_vectors_of_all(sqlite::Database& db);
void enqueue_terms_of_all(sqlite::Database& db);

// Stores the results and removes them from the queue. An exchange whose text changed since stays queued; its result is
// stored all the same, because it is closer to the current text than the old one. Skips exchanges that no longer exist.
void save(sqlite::Database& db, std::span<const Enrichment> made);

// Sets the target of enrichment, and enqueues exchanges whose vectors or terms were made for another one. Without a
// model, vectors stay unchanged.
void set_target(sqlite::Database& db, const EnrichmentTarget& target);

// Deletes vectors of models that are not in `keep`, for at most `limit` exchanges. Returns the number of exchanges; 0:
// none are left.
std::int64_t drop_other_vectors(sqlite::Database& db, std::span<const std::string> keep, int limit);

// Rows of an exchange's enrichment. On the writing connection's thread, in its transaction; all functions throw
// ErrorException.

// Replaces the stored vectors of an exchange.
void save_vectors(sqlite::Database& db, ExchangeId id, const ExchangeVectors& vectors);

// Deletes names that no exchange contains any more.
void prune_identifiers(sqlite::Database& db);

}  // namespace memd::enrichment

namespace memd::topics {

// Replaces the topics of an exchange. Does not rewrite unchanged topics.
void save(sqlite::Database& db, ExchangeId id, std::span<const TopicMention> topics);

}  // namespace memd::topics

namespace memd {

// Returns exchanges that lack one of the parts in `missing`, newest first, because these are queried most. At most
// `limit` and about kMostPendingBytes.
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

// Returns the models whose vectors are in the store.
struct EmbeddingModelsQuery {
  using Answer = EmbeddingModels;
  Answer run(sqlite::Database& db) const;
};

// Returns the vectors of exchanges by one model, in the order of `ids`; without chunks where there are none.
struct ExchangeVectorsQuery {
  std::span<const ExchangeId> ids;
  std::string_view model;

  using Answer = std::vector<ExchangeVectors>;
  Answer run(sqlite::Database& db) const;
  Answer without_store() const { return Answer(ids.size()); }
};

}  // namespace memd

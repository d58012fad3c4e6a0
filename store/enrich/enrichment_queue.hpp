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

// The queue of exchanges to enrich, in the store. All functions throw ErrorException.
// For the writer, whenever the text of an exchange changed.
void enqueue(sqlite::Database& db, ExchangeId id);
// All exchanges get new vectors; new terms.
void enqueue_vectors_of_all(sqlite::Database& db);
void enqueue_terms_of_all(sqlite::Database& db);

// Stores what was made and takes it off the queue. What was made of a text that changed since is stored too (it is
// nearer to the truth than what stood there) but stays in the queue. Exchanges that are gone are skipped.
void save(sqlite::Database& db, std::span<const Enrichment> made);

}  // namespace memd::enrichment

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

}  // namespace memd

namespace memd::enrichment {

// What exchanges are enriched with, and what of it is there. All functions throw ErrorException.
// Exchanges whose vectors or terms were made with something else are queued again; what was made with nothing yet is
// in the queue anyway. Without a model, vectors stay as they are.
void set_target(sqlite::Database& db, const EnrichmentTarget& target);

// Deletes vectors of other models than `keep`, at most `limit` exchanges' at once. How many; 0: there are none left.
std::int64_t drop_other_vectors(sqlite::Database& db, std::span<const std::string> keep, int limit);

}  // namespace memd::enrichment

namespace memd {

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

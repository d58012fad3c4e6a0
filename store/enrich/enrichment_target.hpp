#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What exchanges are enriched with, and what of it is there. All functions throw ErrorException.
namespace memd::enrichment {

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

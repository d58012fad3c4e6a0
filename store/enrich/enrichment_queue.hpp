#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// The queue of exchanges to enrich, in the store. All functions throw ErrorException.
namespace memd::enrichment {

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

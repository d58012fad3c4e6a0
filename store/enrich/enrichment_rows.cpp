#include "store/enrich/enrichment_rows.hpp"

#include "schemas/hash.hpp"
#include "store/enrich/identifier_rows.hpp"
#include "store/enrich/topics/topic_rows.hpp"

#include <cstddef>
#include <span>

namespace memd::enrichment {
namespace {

std::int64_t model_pk(sqlite::Database& db, const ExchangeVectors& v) {
  db.prepare("INSERT OR IGNORE INTO vector_models (name, dimension) VALUES (?, ?)").bind(v.model, v.dimension).run();
  auto& q = db.prepare("SELECT model_pk FROM vector_models WHERE name = ?").bind(v.model);
  q.step();
  const std::int64_t out = q.int64(0);
  q.reset();
  return out;
}

}  // namespace

void save_terms(sqlite::Database& db, ExchangeId id, const ExchangeTerms& terms) {
  topics::save(db, id, terms.topics);
  save_identifiers(db, terms.identifiers);
}

void save_vectors(sqlite::Database& db, ExchangeId id, const ExchangeVectors& v) {
  const std::int64_t model = model_pk(db, v);
  // Not an update: what was loaded is brought up to date by looking above the highest vector_pk.
  db.prepare("DELETE FROM vectors WHERE exchange_pk = ? AND model_pk = ?").bind(id, model).run();
  if (v.chunk_hashes.empty()) return;
  db.prepare("INSERT INTO vectors (model_pk, exchange_pk, chunk_hashes, vectors) VALUES (?, ?, ?, ?)")
      .bind(model, id, std::as_bytes(std::span(v.chunk_hashes)), std::as_bytes(std::span(v.vectors)))
      .run();
}

}  // namespace memd::enrichment

#include "store/enrich/enrichment_target.hpp"

#include "schemas/sql_text.hpp"
#include "store/enrich/enrichment_queue.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace memd::enrichment {
namespace {

constexpr std::string_view kModelKey = "enrichment_model";
constexpr std::string_view kTermsKey = "enrichment_terms";

std::optional<std::string> fact(sqlite::Database& db, std::string_view key) {
  auto& q = db.prepare("SELECT CAST(value AS TEXT) FROM meta WHERE key = ?").bind(key);
  std::optional<std::string> out;
  if (q.step()) out = q.str(0);
  q.reset();
  return out;
}

// True when it replaced another one.
bool replace_fact(sqlite::Database& db, std::string_view key, const std::string& value) {
  const auto old = fact(db, key);
  if (old == value) return false;
  db.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")
      .bind(key, value)
      .run();
  return old.has_value();
}

template <class T>
std::vector<T> items_of(std::string_view blob) {
  std::vector<T> out(blob.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), blob.data(), out.size() * sizeof(T));
  return out;
}

}  // namespace

void set_target(sqlite::Database& db, const EnrichmentTarget& target) {
  if (!target.model.empty() && replace_fact(db, kModelKey, target.model)) enqueue_vectors_of_all(db);
  if (replace_fact(db, kTermsKey, std::to_string(target.terms_version))) enqueue_terms_of_all(db);
}

std::int64_t drop_other_vectors(sqlite::Database& db, std::span<const std::string> keep, int limit) {
  for (const auto& row : EmbeddingModelsQuery{}.run(db).models) {
    if (std::find(keep.begin(), keep.end(), row.name) != keep.end()) continue;
    db.prepare(
          "DELETE FROM vectors WHERE vector_pk IN (SELECT vector_pk FROM vectors WHERE model_pk ="
          " (SELECT model_pk FROM vector_models WHERE name = ?1) LIMIT ?2)")
        .bind(row.name, limit)
        .run();
    if (const auto dropped = db.changes(); dropped > 0) return dropped;
    db.prepare("DELETE FROM vector_models WHERE name = ?").bind(row.name).run();
  }
  return 0;
}

}  // namespace memd::enrichment

namespace memd {

EmbeddingModels EmbeddingModelsQuery::run(sqlite::Database& db) const {
  using namespace enrichment;
  EmbeddingModels out;
  out.target = fact(db, kModelKey).value_or("");
  auto& q = db.prepare("SELECT name, dimension, exchanges FROM vector_models ORDER BY model_pk");
  q.bind();
  while (q.step())
    out.models.push_back({q.str(0), static_cast<int>(q.int64(1)), q.int64(2)});
  q.reset();
  auto& waiting = db.prepare(sql_text("SELECT 1 FROM enrichment_queue WHERE missing & kMissingVectors LIMIT 1"));
  waiting.bind();
  out.complete = !waiting.step();
  waiting.reset();
  return out;
}

std::vector<ExchangeVectors> ExchangeVectorsQuery::run(sqlite::Database& db) const {
  using namespace enrichment;
  std::vector<ExchangeVectors> out(ids.size());
  auto& q = db.prepare(
      "SELECT m.dimension, v.chunk_hashes, v.vectors FROM vectors v JOIN vector_models m USING (model_pk)"
      " WHERE v.exchange_pk = ? AND m.name = ?");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    q.bind(ids[i], model);
    out[i].model = model;
    if (q.step()) {
      out[i].dimension = static_cast<int>(q.int64(0));
      out[i].chunk_hashes = items_of<std::uint64_t>(q.blob(1));
      out[i].vectors = items_of<std::int8_t>(q.blob(2));
    }
    q.reset();
  }
  return out;
}

}  // namespace memd

#pragma once

#include "daemon/models/embedding_models.hpp"
#include "daemon/models/question_cache.hpp"
#include "schemas/enrichment.hpp"
#include "store/reader.hpp"
#include "store/search/rank/semantic_index.hpp"
#include "store/search/vectors/vector_index.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace memd::embedding {

// Which of the stored models serves: the one whose vectors are being made, as soon as they are complete or more than
// any other's; until then the one with most vectors that can still embed questions. Null: none can.
const EmbeddingModelRow* serving_model(const EmbeddingModels& stored, const Models& models);

// The semantic side of searches over one store: vectors in memory of the model that serves, and that model to embed
// questions. Nothing is opened, loaded or asked before the first search. Thread-safe.
class ServingIndex final : public search::SemanticIndex {
 public:
  using GetModels = std::function<std::shared_ptr<const Models>()>;
  using GetTrouble = std::function<std::string()>;  // why vectors cannot be made now; thread-safe
  ServingIndex(std::filesystem::path database, GetModels models, GetTrouble trouble = {});

  Result<search::QueryVector> embed(std::string_view question, std::stop_token stop) override;
  vectors::ScanResult scan(sqlite::Database& db, const search::QueryVector& question,
                           vectors::ScanRequest request) override;
  search::SemanticState state(sqlite::Database& db) override;

  std::size_t memory() const;  // bytes of vectors loaded

 private:
  std::shared_ptr<vectors::VectorIndex> index_of(const std::string& model);
  std::int64_t count_pending(sqlite::Database& db);

  const GetModels get_models_;
  const GetTrouble get_trouble_;
  mutable std::mutex mutex_;
  Reader store_;  // guarded by mutex_, as is the rest
  QuestionCache questions_{64};
  std::string loaded_;  // model of index_
  std::shared_ptr<vectors::VectorIndex> index_;
  std::int64_t pending_ = 0;  // as last counted
  std::chrono::steady_clock::time_point counted_at_{};
};

}  // namespace memd::embedding

#pragma once

#include "daemon/models/embedding_models.hpp"
#include "schemas/enrichment.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/reader.hpp"
#include "store/search/vectors/semantic_index.hpp"
#include "store/search/vectors/vector_index.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace memd::embedding {

// Caches the vectors of recent questions, so that further pages of a search and repeated questions need no request. One
// thread at a time.
class QuestionCache {
 public:
  explicit QuestionCache(std::size_t capacity) : capacity_(capacity) {}

  std::optional<Vector> find(const std::string& model, const std::string& question) {
    const auto it = places_.find(key(model, question));
    if (it == places_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, it->second);
    return it->second->second;
  }

  void put(const std::string& model, const std::string& question, Vector vector) {
    std::string k = key(model, question);
    if (const auto it = places_.find(k); it != places_.end()) {
      it->second->second = std::move(vector);
      return;
    }
    entries_.emplace_front(k, std::move(vector));
    places_.emplace(std::move(k), entries_.begin());
    if (entries_.size() <= capacity_) return;
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }

 private:
  static std::string key(const std::string& model, const std::string& question) { return model + '\n' + question; }

  const std::size_t capacity_;
  std::list<std::pair<std::string, Vector>> entries_;  // most recently used first
  std::unordered_map<std::string, std::list<std::pair<std::string, Vector>>::iterator> places_;
};

// Returns the stored model that searches use: the one whose vectors are being made, once it has all of them or more
// than any other; until then the model with most vectors that can still embed questions. Null: none.
const EmbeddingModelRow* serving_model(const EmbeddingModels& stored, const Models& models);

// The semantic side of searches over one store. Holds the vectors of the serving model in memory and embeds questions
// with it. Opens, loads and requests nothing before the first search. Thread-safe.
class ServingIndex final : public search::SemanticIndex {
 public:
  using GetModels = std::function<std::shared_ptr<const Models>()>;
  using GetTrouble = std::function<std::string()>;  // why vectors cannot be made now; thread-safe
  ServingIndex(std::filesystem::path database, GetModels models, GetTrouble trouble = {});

  Result<search::QueryVector> embed(std::string_view question, std::stop_token stop) override;
  vectors::ScanResult scan(sqlite::Database& db, const search::QueryVector& question,
                           vectors::ScanRequest request) override;
  std::vector<vectors::ScanResult> scan_all(sqlite::Database& db, std::span<const search::QueryVector* const> questions,
                                            const vectors::ScanRequest& request) override;
  search::SemanticState state(sqlite::Database& db) override;
  std::unique_ptr<search::TokenComparison> by_tokens(const search::QueryVector& question) override;
  std::vector<float> second_look(sqlite::Database& db, const search::QueryVector& question,
                                 std::span<const ExchangeId> ids) override;

  std::size_t memory() const;  // bytes of vectors loaded

 private:
  std::shared_ptr<vectors::VectorIndex> index_of(const std::string& model);
  std::int64_t count_pending(sqlite::Database& db);
  Result<Vector> question_vector(Embedder& embedder, int dimension, const std::string& text, std::stop_token stop);

  const GetModels get_models_;
  const GetTrouble get_trouble_;
  mutable std::mutex mutex_;
  Reader store_;  // guarded by mutex_, as is the rest
  QuestionCache questions_{64};
  std::string loaded_;  // the model of index_
  std::shared_ptr<vectors::VectorIndex> index_;
  std::int64_t pending_ = 0;  // at the last count
  std::chrono::steady_clock::time_point counted_at_{};
};

}  // namespace memd::embedding

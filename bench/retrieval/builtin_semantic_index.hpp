#pragma once

#include "store/enrich/embedding/builtin_embedder.hpp"
#include "store/search/rank/semantic_index.hpp"
#include "store/search/vectors/vector_index.hpp"

#include <span>
#include <string>

namespace memd::bench {

// A store's vectors of the built-in model, in this process. One thread.
class BuiltinSemanticIndex final : public search::SemanticIndex {
 public:
  Result<search::QueryVector> embed(std::string_view question, std::stop_token stop) override {
    auto vectors = embedding::builtin_embedder().embed(std::span(&question, 1), embedding::Purpose::query, stop);
    if (!vectors) return vectors.error();
    return search::QueryVector{model(), std::move((*vectors)[0])};
  }
  vectors::ScanResult scan(sqlite::Database& db, const search::QueryVector& question,
                           vectors::ScanRequest request) override {
    index_.refresh(db);
    request.query = question.vector;
    return index_.scan(db, request);
  }
  search::SemanticState state(sqlite::Database&) override { return {model(), "", index_.exchanges(), 0, ""}; }

 private:
  static std::string model() { return embedding::builtin_embedder().model().name; }

  vectors::VectorIndex index_{model()};
};

}  // namespace memd::bench

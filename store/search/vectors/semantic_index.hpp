#pragma once

#include "schemas/base/result.hpp"
#include "schemas/ids.hpp"
#include "store/search/vectors/scan.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace memd::sqlite {
class Database;
}

namespace memd::search {

// A query embedded with the serving model.
struct QueryVector {
  std::string model;
  std::vector<float> vector;  // of unit length; empty: the model finds nothing in the text
  std::string text{};         // the embedded text
};

// The serving model and the completeness of its vectors.
struct SemanticState {
  std::string model;           // the serving model
  std::string next_model;      // the model that will replace it, while its vectors are computed; empty: none
  std::int64_t exchanges = 0;  // with vectors of `model`
  std::int64_t pending = 0;    // exchanges whose vectors are missing or of an older text
  std::string trouble;         // why vectors cannot be computed now; empty: no problem
};

// Scores texts against one query token by token, 0…1: the weighted mean over the query's tokens of the similarity to
// the nearest token of the text. One thread.
class TokenComparison {
 public:
  virtual ~TokenComparison() = default;
  virtual double compare(std::string_view text) = 0;
};

// The semantic side of a search: a model to embed questions and the vectors of that model. Thread-safe.
class SemanticIndex {
 public:
  virtual ~SemanticIndex() = default;
  // Call it outside of any transaction: it may send a request over the network. Fails with unavailable when the
  // provider is disabled, down or too slow.
  virtual Result<QueryVector> embed(std::string_view question, std::stop_token stop) = 0;
  // Sets request.query from `question`. Returns an empty result when the model has been replaced meanwhile.
  virtual vectors::ScanResult scan(sqlite::Database& db, const QueryVector& question, vectors::ScanRequest request) = 0;
  // Scans the vectors once for all questions, each with the settings of `request`.
  virtual std::vector<vectors::ScanResult> scan_all(sqlite::Database& db, std::span<const QueryVector* const> questions,
                                                    const vectors::ScanRequest& request) {
    std::vector<vectors::ScanResult> out;
    for (const QueryVector* question : questions)
      out.push_back(scan(db, *question, request));
    return out;
  }
  virtual SemanticState state(sqlite::Database& db) = 0;
  // Returns null when the model has no token vectors.
  virtual std::unique_ptr<TokenComparison> by_tokens(const QueryVector&) { return nullptr; }
  // Returns the cosine of each exchange to the question by the network of the second look; NaN: the exchange has no
  // vector yet. Empty: there is no second look.
  virtual std::vector<float> second_look(sqlite::Database&, const QueryVector&, std::span<const ExchangeId>) {
    return {};
  }
};

}  // namespace memd::search

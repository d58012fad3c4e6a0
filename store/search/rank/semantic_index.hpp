#pragma once

#include "schemas/error.hpp"
#include "store/db/database.hpp"
#include "store/search/vectors/vector_index.hpp"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace memd::search {

// A question as a vector of the model that serves.
struct QueryVector {
  std::string model;
  std::vector<float> vector;  // of unit length; empty: the question says nothing to the model
};

// How complete the vectors of the serving model are.
struct SemanticState {
  std::string model;           // that serves
  std::string becoming;        // that replaces it while it is being made; empty: none
  std::int64_t exchanges = 0;  // with vectors of `model`
  std::int64_t pending = 0;    // whose vectors are missing or of an older text
  std::string trouble;         // why vectors cannot be made now; empty: nothing
};

// The semantic side of a search: a model to embed questions and the vectors of that model. Thread-safe.
class SemanticIndex {
 public:
  virtual ~SemanticIndex() = default;
  // Outside of any transaction: a provider may be asked over the network. unavailable: disabled, down, too slow.
  virtual Result<QueryVector> embed(std::string_view question, std::stop_token stop) = 0;
  // request.query is set from `question`. Of a model that has been replaced meanwhile: an empty result.
  virtual vectors::ScanResult scan(sqlite::Database& db, const QueryVector& question, vectors::ScanRequest request) = 0;
  virtual SemanticState state(sqlite::Database& db) = 0;
};

}  // namespace memd::search

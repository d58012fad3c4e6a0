#pragma once

#include "schemas/error.hpp"
#include "schemas/ids.hpp"
#include "store/db/database.hpp"
#include "store/search/vectors/codes.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace memd::vectors {

// Thresholds, in live rows.
struct SnapshotTuning {
  std::int64_t sketched_above = 50'000;  // above: rows get sketches
  std::int64_t cold_above = 500'000;     // above: only the segment being filled keeps its codes in memory
};

struct Neighbour {
  ExchangeId exchange = 0;
  int chunk = 0;  // the nearest one of the exchange
  float cosine = 0;
};

struct ScanRequest {
  std::span<const float> query;                     // of unit length, of the model's dimension
  std::size_t count = 100;                          // exchanges; 0: scans nothing and looks up only `also`
  ExchangeId first = 0;                             // inclusive; exchanges outside first…last are skipped
  ExchangeId last = INT64_MAX;                      // inclusive
  const std::function<bool(ExchangeId)>* passes{};  // called before an exchange is kept; null: all pass
  std::span<const ExchangeId> also{};               // exchanges whose cosines are returned at any rank
  const StoredCodes* stored{};                      // for rows whose codes are not in memory; null: skips these rows
};

struct ScanResult {
  std::vector<Neighbour> nearest;  // best first, one per exchange
  std::vector<float> also;         // highest cosine of each of request.also; NaN: no vector
  std::vector<int> also_chunks;    // nearest chunk of each; meaningless without a vector
  double mean = 0;                 // of the cosines of the chunks scanned, or of a sample
  double deviation = 0;
  std::int64_t scanned = 0;  // number of chunks
};

// In-memory index of the vectors of one model, as signed bytes. A very large index holds mostly sketches, which select
// the rows to fetch from the store. refresh() loads the index and later updates it. Thread-safe; a scan sees one state.
class VectorIndex {
 public:
  explicit VectorIndex(std::string model, SnapshotTuning tuning = {});
  ~VectorIndex();

  // Loads the vectors in db's snapshot that the index lacks. Cheap when nothing changed. Throws ErrorException.
  void refresh(sqlite::Database& db);
  // Does not wait for a refresh. Returns no neighbours for a query of another dimension or without direction.
  ScanResult scan(sqlite::Database& db, ScanRequest request) const;
  // Runs all requests on one state of the index.
  std::vector<ScanResult> scan_all(sqlite::Database& db, std::vector<ScanRequest> requests) const;

  std::int64_t exchanges() const;
  int dimension() const;       // 0 while empty
  std::size_t memory() const;  // bytes
  void release();              // frees the memory until the next refresh

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace memd::vectors

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

#pragma once

#include "daemon/models/embedding_models.hpp"
#include "schemas/enrichment.hpp"
#include "schemas/exchange_row.hpp"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd {

// Makes the vectors of exchanges. Reuses stored vectors of chunks whose text has not changed, and vectors made before a
// failure. One thread.
class VectorMaker {
 public:
  // Makes the vectors. `stored` and the result are in the order of `exchanges`; `stored` holds the vectors of `model`
  // in the store. Errors: those of the model when it cannot embed anything now; cancelled.
  Result<std::vector<ExchangeVectors>> make(const embedding::ModelChoice& model,
                                            std::span<const PendingExchange* const> exchanges,
                                            std::span<const ExchangeVectors> stored, std::stop_token stop);

  std::uint64_t texts_embedded() const { return texts_embedded_; }
  std::uint64_t texts_refused() const { return texts_refused_; }  // they have no vector

 private:
  using Bytes = std::vector<std::int8_t>;
  Result<void> embed(const embedding::ModelChoice& model, std::span<const std::uint64_t> hashes,
                     std::span<const std::string_view> texts, const std::stop_token& stop);
  Result<void> embed_singly(const embedding::ModelChoice& model, std::span<const std::uint64_t> hashes,
                            std::span<const std::string_view> texts, const std::stop_token& stop);

  std::string made_by_;
  std::unordered_map<std::uint64_t, Bytes> made_;  // by hash of the chunk; empty: refused
  std::uint64_t texts_embedded_ = 0;
  std::uint64_t texts_refused_ = 0;
  int refused_in_a_row_ = 0;
};

}  // namespace memd

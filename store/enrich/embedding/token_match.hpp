#pragma once

#include "store/enrich/embedding/embedder.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/search/vectors/semantic_index.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memd::embedding {

// Compares texts with a query by the table of a static model, which must outlive it. The score is the mean, over the
// query's tokens weighted by the length of their rows, of the best cosine to any token of the text. Each token is
// compared once. One thread.
class TokenMatch final : public search::TokenComparison {
 public:
  TokenMatch(const StaticModel& model, std::string_view question);
  double compare(std::string_view text) override;

 private:
  // Reads the token's row into row_, and returns its length.
  float read_row(std::uint32_t token);
  // Returns the cosines of a token to each of the query's tokens.
  std::span<const float> cosines(std::uint32_t token);

  const StaticModel& model_;
  const std::size_t stride_;
  std::vector<std::uint32_t> question_;  // distinct tokens
  std::vector<float> shares_;            // sum up to 1
  std::vector<float> inverse_;           // 1 / length of the row
  vectors::AlignedRow rows_;             // rows of the query's tokens
  vectors::AlignedRow row_;
  std::vector<std::int32_t> dots_;
  std::vector<std::uint32_t> known_;  // by token: 1 + its index in cosines_; 0: not compared yet
  std::vector<float> cosines_;
};

}  // namespace memd::embedding

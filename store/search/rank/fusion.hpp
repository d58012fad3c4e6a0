#pragma once

#include "schemas/query.hpp"
#include "store/search/rank/hit_loader.hpp"
#include "store/search/rank/ranking_weights.hpp"

#include <cstdint>
#include <span>
#include <vector>

// One order out of what the words and the vectors found. Pure functions; nothing here reads the store.
namespace memd::search {

struct FusionCandidate {
  ExchangeId id = 0;
  std::int64_t session = 0;
  std::int64_t number = 0;  // of the exchange in its session
  TimeMs started_at = 0;
  std::uint64_t terms = 0;  // bit i: the query's term i stands in it; of terms from the 64th on nothing is said
  int chunk = kNoChunk;     // nearest to the question
  RankingFeatures features;
  double score = 0;
};

// A standardised cosine: 0 up to one deviation above the mean, 1 at five, at most 1.5.
double closeness(double dense_z);

// Coverage, 0…1, that counts less in long texts, which hold every word by chance: bm25 knows the length.
double focused_coverage(const RankingFeatures& features);

// 1 now, ½ after ninety days; 0 when `now` is 0.
double recency_of(TimeMs started_at, TimeMs now);

// Fills features.neighbour_turns and features.surroundings from the candidates around each in its session: what is not
// among the candidates counts as holding nothing. `shares`: of the query's weight, by term; sums to at most 1.
void add_context(std::span<FusionCandidate> candidates, std::span<const double> shares,
                 const RankingWeights& weights = kRankingWeights);

// 0…1. 1: every word of the question, often, side by side, and its meaning too when `by_meaning`.
double fused_score(const RankingFeatures& features, bool by_meaning, const RankingWeights& weights = kRankingWeights);

// Sets the scores and sorts: best first, equal ones newest first (by id).
void rank(std::vector<FusionCandidate>& candidates, bool by_meaning, const RankingWeights& weights = kRankingWeights);

}  // namespace memd::search

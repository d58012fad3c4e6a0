#pragma once

namespace memd::search {

// What each feature of RankingFeatures adds to a score. Made by packaging/model/fit_ranking.py; see there how they
// were found and what each is worth.
struct RankingWeights {
  double bm25 = 1.0;
  double coverage = 1.0;
  double adjacency = 0.2;
  double title = 0.2;
  double identifier = 0.3;
  double neighbour_turns = 1.375;
  double surroundings = 1.0;
  double meaning = 0.5;  // of closeness(), 0…1.5
  double recency = 0.05;
  double same_project = 0.1;
};
inline constexpr RankingWeights kRankingWeights{};

// How much the exchanges around a hit say about it, by their distance; the one before asks what the hit answers.
inline constexpr double kBefore[] = {1.0, 0.5};
inline constexpr double kAfter[] = {0.75, 0.5};
// Exchanges before and after whose words count for `surroundings`.
inline constexpr int kSurroundings = 6;

}  // namespace memd::search

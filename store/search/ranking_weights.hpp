#pragma once

namespace memd::search {

// What each feature of RankingFeatures adds to a score. packaging/model/fit_ranking.py says what each is worth.
struct RankingWeights {
  double bm25 = 0.8;
  double coverage = 1.0;  // of focused_coverage()
  double adjacency = 0.2;
  double title = 0.2;
  double identifier = 0.3;
  double neighbour_turns = 1.2;
  double surroundings = 0.9;
  double meaning = 1.0;  // of closeness()
  double recency = 0.05;
  double date = 0.3;
  double same_project = 0.1;
};
inline constexpr RankingWeights kRankingWeights{};

// How much the exchanges around a hit say about it, by their distance; the one before asks what the hit answers.
inline constexpr double kBefore[] = {1.0, 0.5};
inline constexpr double kAfter[] = {0.75, 0.5};
// Exchanges before and after whose words count for `surroundings`.
inline constexpr int kSurroundings = 6;

}  // namespace memd::search

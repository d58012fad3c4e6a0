#pragma once

namespace memd::search {

// What each feature of RankingFeatures adds to a score, where bm25 adds 1. Fitted by `retrieval_bench --fit`, but for
// the last three, which none of its questions reward; docs/benchmarks.md has the figures.
struct RankingWeights {
  double bm25 = 1.0;
  double adjacency = 0.25;
  double identifier = 1.0;
  double date = 1.0;
  double meaning = 1.0;  // of closeness()
  // As far as a text is too short to speak for itself, by `brevity`:
  double coverage = 1.0;  // of focused_coverage()
  double neighbour_turns = 1.0;
  double surroundings = 1.0;
  // As far as it is not, bm25 once more. In a long text every word stands by chance, so which do says little.
  double self_contained = 2.0;
  double title = 0.25;
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

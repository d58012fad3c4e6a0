#pragma once

#include "store/search/rank/ranking.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memd::search {

// How several ways to say one question are ranked together. Fitted; docs/decisions/0002-ranking-weights.md.
struct FusionWeights {
  double first = 1;     // of the phrasing that was asked first; the others count 1
  double sure = 1;      // what the first counts more when its best hit says all that was asked …
  double sureness = 4;  // … and this power of its score otherwise
};
inline constexpr FusionWeights kFusionWeights{};

// What found a hit: a phrasing that ranks it among its first so many.
inline constexpr std::size_t kFoundAmong = 10;

// Ranks together what each phrasing found: the weighted mean of its scores, 0 where a phrasing has not found it. What
// several phrasings agree on comes first; of a phrasing whose words nobody has, all scores are low. Each list is one
// phrasing's, best first. The features are those of the phrasing that speaks for it most. Best first; equal ones newest
// first. Pure.
std::vector<FusionCandidate> fuse(std::span<const std::vector<FusionCandidate>> lists,
                                  const FusionWeights& weights = kFusionWeights);

}  // namespace memd::search

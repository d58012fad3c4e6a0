#pragma once

#include "store/search/rank/ranking.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memd::search {

// Weights of the phrasings of one query. Fitted; see docs/decisions/0002-ranking-weights.md.
struct FusionWeights {
  double first = 1;     // of the phrasing that was asked first; the others count 1
  double sure = 1;      // what the first counts more when its best hit says all that was asked …
  double sureness = 4;  // … and this power of its score otherwise
};
inline constexpr FusionWeights kFusionWeights{};

// A phrasing counts as having found a hit when it ranks the hit within this many.
inline constexpr std::size_t kFoundAmong = 10;

// Merges the candidates of all phrasings, one list per phrasing, best first. The score is the weighted mean over the
// phrasings, with 0 for a phrasing that did not find the candidate. Candidates that several phrasings found therefore
// come first. A phrasing whose words occur nowhere gives low scores only. The features come from the phrasing that
// supports the candidate most. Returns best first, equal ones newest first. Pure.
std::vector<FusionCandidate> fuse(std::span<const std::vector<FusionCandidate>> lists,
                                  const FusionWeights& weights = kFusionWeights);

}  // namespace memd::search

#pragma once

#include "store/search/rank/ranking.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memd::search {

// Weights of the phrasings of one query. Fitted; see docs/decisions/0002-ranking-weights.md.
struct FusionWeights {
  double first = 1;     // of the first phrasing; the others count 1
  double sure = 1;      // added to `first`, times the best sort_key() of the first phrasing (at most 1) …
  double sureness = 4;  // … to this power
};
inline constexpr FusionWeights kFusionWeights{};

// A phrasing counts as having found a hit when it ranks the hit within this many.
inline constexpr std::size_t kFoundAmong = 10;

// Merges the candidates of all phrasings, one list per phrasing, best first. Score, lead and evidence are weighted
// means over the phrasings, with 0 for a phrasing that did not find the candidate. This favours candidates that several
// phrasings found. A phrasing whose words occur nowhere gives low scores only. The features come from the phrasing in
// which the candidate has the highest sort_key(). Returns best first, equal ones newest first. Pure.
std::vector<FusionCandidate> fuse(std::span<const std::vector<FusionCandidate>> lists,
                                  const FusionWeights& weights = kFusionWeights);

}  // namespace memd::search

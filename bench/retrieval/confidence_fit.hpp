#pragma once

#include "bench/coordinate_search.hpp"
#include "bench/retrieval/ranking_cases.hpp"
#include "store/search/rank/confidence.hpp"
#include "store/search/rank/ranking_weights.hpp"

#include <string>

namespace memd::bench {

// All that speaks for a hit alike, and nothing is ever enough.
search::EvidenceWeights neutral_evidence_weights(bool by_meaning);

// Fits what speaks for a hit on the parts that ask for `nothing_relevant`, of answers ranked by `ranking`, on their
// questions of group "train": the weights so that questions that were talked of find more of it than those about other
// things; then what is enough so that of the latter most find less, in each part. Tells how often nothing relevant is
// said for several such shares, by the weights found and by the compiled ones, by words and hybrid each for itself.
std::string confidence_fit_report(const RankingCases& cases, const search::RankingWeights& ranking, bool leave_one_out);

}  // namespace memd::bench

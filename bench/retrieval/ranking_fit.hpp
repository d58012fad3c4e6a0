#pragma once

#include "bench/coordinate_search.hpp"
#include "bench/retrieval/ranking_cases.hpp"
#include "store/search/rank/ranking.hpp"

#include <span>
#include <string>

// Fits the weights of search on questions of the group "train". Pure functions of the cases; any thread.
namespace memd::bench {

// Weights to start from: the fitted ones are equal, those of title, age and project as compiled (no question rewards
// them).
search::RankingWeights neutral_ranking_weights();
std::span<const CoordinateOf<search::RankingWeights>> ranking_coordinates();

// Fits the weights of the ranking. The report lists what was tried and found, and how each part does by neutral, found
// and compiled weights. `leave_one_out` also fits without each dialog in turn, and judges on that dialog.
std::string ranking_fit_report(const RankingCases& cases, bool leave_one_out);

// Evidence weights to start from: all features weigh the same, and no evidence is enough.
search::EvidenceWeights neutral_evidence_weights(bool by_meaning);

// Fits the evidence weights on the parts that measure `nothing_relevant`; answers are ranked by `ranking`. First come
// the weights: questions about what was talked of should gather more evidence than questions about other things. Then
// comes the threshold: most questions about other things should stay below it, in each part. The report says how often
// nothing relevant is found at several thresholds, for found and compiled weights, lexical and hybrid.
std::string confidence_fit_report(const RankingCases& cases, const search::RankingWeights& ranking, bool leave_one_out);

}  // namespace memd::bench

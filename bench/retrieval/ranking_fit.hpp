#pragma once

#include "bench/coordinate_search.hpp"
#include "bench/retrieval/ranking_cases.hpp"
#include "store/search/rank/ranking_weights.hpp"

#include <span>
#include <string>

namespace memd::bench {

// All weights that are fitted alike. Those of title, age and project are as compiled: no question rewards them.
search::RankingWeights neutral_ranking_weights();
std::span<const CoordinateOf<search::RankingWeights>> ranking_coordinates();

// Fits the weights of the ranking on the questions of group "train" and tells of it: what was tried, what was found,
// and how each part's groups do by neutral weights, by those found and by the compiled ones. With `leave_one_out` also
// fits without each dialog in turn and asks those questions by what was found.
std::string ranking_fit_report(const RankingCases& cases, bool leave_one_out);

}  // namespace memd::bench

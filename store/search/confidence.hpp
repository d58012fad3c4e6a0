#pragma once

#include "schemas/query.hpp"

#include <span>

namespace memd::search {

// How much speaks for a hit being about what was asked: the share of the question's words in it, how much it speaks of
// them, the share in it and the exchanges around, the deviations its meaning is nearer than that of other texts.
double evidence(const RankingFeatures& features);

// How likely a hit is about what was asked, judged by itself:
//   high    nearly all of the question's words, or an identifier of it and others, stand in it
//   medium  there is as much evidence as four in five questions about other things do not find in their best hits
//   low     there is less
// `by_meaning`: nearness in meaning was looked at.
Confidence confidence_of(const RankingFeatures& features, bool by_meaning);

// Nothing among the best hits is likely to be about what was asked.
bool nothing_relevant(std::span<const RankingFeatures> best, bool by_meaning);

}  // namespace memd::search

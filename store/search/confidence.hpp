#pragma once

#include "schemas/query.hpp"

#include <span>

namespace memd::search {

// How likely a hit is about what was asked, judged by itself:
//   high    nearly all of the question's words, or an identifier of it, stand in it
//   medium  the greater part of the words, or its meaning is much nearer to the question than that of other texts
//   low     neither: it shares some words, or comes nearest in meaning without being near
Confidence confidence_of(const RankingFeatures& features);

// Nothing among the best hits is likely to be about what was asked.
bool nothing_relevant(std::span<const RankingFeatures> best);

}  // namespace memd::search

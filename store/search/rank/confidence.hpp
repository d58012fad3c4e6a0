#pragma once

#include "schemas/query.hpp"

#include <span>
#include <string_view>

namespace memd::search {

// What speaks for a hit, and how much of it is enough. Fitted by `retrieval_bench --fit`; docs/benchmarks.md has the
// figures.
struct EvidenceWeights {
  double coverage = 0;
  double bm25 = 0;
  double surroundings = 0;  // as far as the text is too short to speak for itself
  double deviations = 0;    // that its meaning is nearer than that of other texts: the full weight from eight on
  double cosine = 0;        // the full weight from 0.6 on
  double enough = 0;        // what most questions about things never talked of stay below in their best hits
};
inline constexpr EvidenceWeights kEvidenceByWords{.coverage = 0.6, .bm25 = 0.4, .surroundings = 0.25, .enough = 0.35};
// Of a model that memd does not know: what its cosines are for texts about other things differs from model to model.
inline constexpr EvidenceWeights kEvidenceByDeviations{
    .coverage = 0.6, .bm25 = 0.4, .surroundings = 0.25, .deviations = 0.8, .enough = 0.63};
// Of the built-in model. How near the nearest text is tells more than how far it stands out: something always does.
inline constexpr EvidenceWeights kEvidenceByCosine{
    .coverage = 1, .bm25 = 4, .surroundings = 0.125, .cosine = 3, .enough = 2.83};

// `model`: that was asked how near texts are in meaning; empty: none was.
const EvidenceWeights& evidence_weights(std::string_view model);

// How much speaks for a hit being about what was asked: the share of the question's words in it, how much it speaks of
// them, the share in it and the exchanges around, how near its meaning is.
double evidence(const RankingFeatures& features, const EvidenceWeights& weights);

// How likely a hit is about what was asked, judged by itself:
//   high    nearly all of the question's words, or an identifier of it and others, stand in it
//   medium  there is enough evidence
//   low     there is less
Confidence confidence_of(const RankingFeatures& features, const EvidenceWeights& weights);

// How many of an answer's first hits are looked at for whether there is anything relevant.
inline constexpr int kJudgedHits = 5;
// Nothing among the best hits is likely to be about what was asked.
bool nothing_relevant(std::span<const RankingFeatures> best, const EvidenceWeights& weights);

}  // namespace memd::search

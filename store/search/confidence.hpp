#pragma once

#include "schemas/query.hpp"

#include <span>

namespace memd::search {

// What speaks for a hit, and how much of it is enough. What is enough was found by `retrieval_bench --fit`, which also
// looks for the weights; docs/benchmarks.md says why these stay.
struct EvidenceWeights {
  double coverage = 0.6;
  double bm25 = 0.4;
  double surroundings = 0.25;  // as far as the text is too short to speak for itself
  double deviations = 0.8;     // the full weight from eight on
  // What questions about things never talked of stay below in their best hits, four times in five.
  double enough = 0.63;
  double enough_by_words = 0.35;
};
inline constexpr EvidenceWeights kEvidenceWeights{};

// How much speaks for a hit being about what was asked: the share of the question's words in it, how much it speaks of
// them, the share in it and the exchanges around, the deviations its meaning is nearer than that of other texts.
double evidence(const RankingFeatures& features, const EvidenceWeights& weights = kEvidenceWeights);

// How likely a hit is about what was asked, judged by itself:
//   high    nearly all of the question's words, or an identifier of it and others, stand in it
//   medium  there is as much evidence as four in five questions about other things do not find in their best hits
//   low     there is less
// `by_meaning`: nearness in meaning was looked at.
Confidence confidence_of(const RankingFeatures& features, bool by_meaning,
                         const EvidenceWeights& weights = kEvidenceWeights);

// How many of an answer's first hits are looked at for whether there is anything relevant.
inline constexpr int kJudgedHits = 5;
// Nothing among the best hits is likely to be about what was asked.
bool nothing_relevant(std::span<const RankingFeatures> best, bool by_meaning,
                      const EvidenceWeights& weights = kEvidenceWeights);

}  // namespace memd::search

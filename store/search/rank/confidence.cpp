#include "store/search/rank/confidence.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr std::string_view kBuiltin = "builtin/";
constexpr double kNearlyAll = 0.8;
constexpr double kMostDeviations = 8;
constexpr double kFullCosine = 0.6;
// A name of the question may also be a common command; it says something together with other words.
constexpr double kSomeWords = 0.3;

}  // namespace

const EvidenceWeights& evidence_weights(std::string_view model) {
  if (model.empty()) return kEvidenceByWords;
  return model.starts_with(kBuiltin) ? kEvidenceByCosine : kEvidenceByDeviations;
}

double evidence(const RankingFeatures& f, const EvidenceWeights& w) {
  return w.coverage * f.coverage + w.bm25 * f.bm25 + w.surroundings * f.brevity * f.surroundings +
         w.deviations * std::clamp(f.dense_z / kMostDeviations, 0.0, 1.0) +
         w.cosine * std::clamp(f.cosine / kFullCosine, 0.0, 1.0);
}

Confidence confidence_of(const RankingFeatures& f, const EvidenceWeights& w) {
  if (f.coverage >= kNearlyAll || (f.identifier >= 1 && f.coverage >= kSomeWords)) return Confidence::high;
  return evidence(f, w) >= w.enough ? Confidence::medium : Confidence::low;
}

bool nothing_relevant(std::span<const RankingFeatures> best, const EvidenceWeights& weights) {
  return std::all_of(best.begin(), best.end(),
                     [&](const RankingFeatures& f) { return confidence_of(f, weights) == Confidence::low; });
}

}  // namespace memd::search

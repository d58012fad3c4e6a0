#include "store/search/confidence.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr double kNearlyAll = 0.8;
constexpr double kMostDeviations = 8;
// What questions about things never talked of stay below four times in five; of questions that have an answer one in
// ten stays below it too, on dialogues and on developers' history alike.
constexpr double kEnough = 0.755;
constexpr double kEnoughByWords = 0.5;
// A name of the question may also be a common command; it says something together with other words.
constexpr double kSomeWords = 0.3;

}  // namespace

double evidence(const RankingFeatures& f) {
  return 0.6 * f.coverage + 0.4 * f.bm25 + 0.25 * f.surroundings + 0.1 * std::clamp(f.dense_z, 0.0, kMostDeviations);
}

Confidence confidence_of(const RankingFeatures& f, bool by_meaning) {
  if (f.coverage >= kNearlyAll || (f.identifier >= 1 && f.coverage >= kSomeWords)) return Confidence::high;
  return evidence(f) >= (by_meaning ? kEnough : kEnoughByWords) ? Confidence::medium : Confidence::low;
}

bool nothing_relevant(std::span<const RankingFeatures> best, bool by_meaning) {
  return std::all_of(best.begin(), best.end(),
                     [&](const RankingFeatures& f) { return confidence_of(f, by_meaning) == Confidence::low; });
}

}  // namespace memd::search

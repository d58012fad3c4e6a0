#include "store/search/confidence.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr double kNearlyAll = 0.8;
constexpr double kMostDeviations = 8;
// What questions about things never talked of stay below four times in five, on dialogues and on developers' history;
// of questions that have an answer one in eight stays below it too.
constexpr double kEnough = 0.74;
constexpr double kEnoughByWords = 0.54;

}  // namespace

double evidence(const RankingFeatures& f) {
  return f.coverage + 0.5 * f.surroundings + 0.1 * std::clamp(f.dense_z, 0.0, kMostDeviations);
}

Confidence confidence_of(const RankingFeatures& f, bool by_meaning) {
  if (f.coverage >= kNearlyAll || f.identifier >= 1) return Confidence::high;
  return evidence(f) >= (by_meaning ? kEnough : kEnoughByWords) ? Confidence::medium : Confidence::low;
}

bool nothing_relevant(std::span<const RankingFeatures> best, bool by_meaning) {
  return std::all_of(best.begin(), best.end(),
                     [&](const RankingFeatures& f) { return confidence_of(f, by_meaning) == Confidence::low; });
}

}  // namespace memd::search

#include "store/search/confidence.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr double kNearlyAll = 0.8;
constexpr double kGreaterPart = 0.5;
constexpr double kMuchNearer = 4.5;  // deviations above the mean of all texts
constexpr double kNear = 3.0;
constexpr double kSome = 0.35;

}  // namespace

Confidence confidence_of(const RankingFeatures& f) {
  if (f.coverage >= kNearlyAll || f.identifier >= 1) return Confidence::high;
  if (f.coverage >= kGreaterPart || f.dense_z >= kMuchNearer) return Confidence::medium;
  if (f.coverage >= kSome && f.dense_z >= kNear) return Confidence::medium;
  return Confidence::low;
}

bool nothing_relevant(std::span<const RankingFeatures> best) {
  return std::all_of(best.begin(), best.end(),
                     [](const RankingFeatures& f) { return confidence_of(f) == Confidence::low; });
}

}  // namespace memd::search

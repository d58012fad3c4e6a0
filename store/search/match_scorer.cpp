#include "store/search/match_scorer.hpp"

#include <algorithm>
#include <numeric>

namespace memd::search {
namespace {

constexpr double kK1 = 1.2;
constexpr double kB = 0.75;
constexpr double kMostBm25 = kK1 + 1;  // times Σ idf is more than any document reaches
constexpr double kFullBm25 = 1.6;      // times Σ idf counts as full
constexpr double kBm25Share = 0.6;     // the rest is coverage
constexpr double kSelfContained = 60;  // words: what is shorter needs the exchanges around it to say what it is about
constexpr int kNear = 3;               // words typed apart that still count as neighbours

double saturated(double weight, double length_ratio) {
  return weight * (kK1 + 1) / (weight + kK1 * (1 - kB + kB * length_ratio));
}

}  // namespace

MatchScorer::MatchScorer(const QueryPlan& plan) : plan_(plan) {
  std::vector<std::size_t> typed(plan.terms.size());
  std::iota(typed.begin(), typed.end(), std::size_t{0});
  std::sort(typed.begin(), typed.end(),
            [&](std::size_t a, std::size_t b) { return plan.terms[a].position < plan.terms[b].position; });
  for (std::size_t i = 0; i + 1 < typed.size(); ++i) {
    const Term& a = plan.terms[typed[i]];
    const int apart = plan.terms[typed[i + 1]].position - a.position;
    if (apart <= kNear) neighbours_.push_back({typed[i], typed[i + 1], apart + std::int64_t{a.words} - 1});
  }
}

Match MatchScorer::match(std::span<const TermHits> hits, double length_ratio) const {
  Match out;
  if (plan_.total_idf <= 0) return out;
  double found = 0;
  double bm25 = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i].weight <= 0) continue;
    const double idf = plan_.terms[i].idf * plan_.terms[i].found_weight;
    found += idf;
    bm25 += idf * saturated(hits[i].weight, length_ratio);
    out.terms |= std::uint64_t{1} << i;
  }
  out.features.coverage = std::min(1.0, found / plan_.total_idf);
  out.features.bm25 = std::min(1.0, bm25 / (kFullBm25 * plan_.total_idf));
  out.features.adjacency = side_by_side(hits, out.features.coverage);
  out.score =
      kTextWeight * (kBm25Share * bm25 / (kMostBm25 * plan_.total_idf) + (1 - kBm25Share) * out.features.coverage) +
      kNeighbourWeight * out.features.adjacency;
  return out;
}

double MatchScorer::bound(double found_idf) const {
  if (plan_.total_idf <= 0) return 0;
  const double share = std::min(1.0, found_idf / plan_.total_idf);
  return kTextWeight * share + kNeighbourWeight;
}

double MatchScorer::side_by_side(std::span<const TermHits> hits, double coverage) const {
  if (neighbours_.empty()) return coverage;
  int found = 0;
  for (const Neighbours& pair : neighbours_) {
    const auto& first = hits[pair.first].places;
    const auto& second = hits[pair.second].places;
    for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
      // At the same place they are parts of one word.
      if (second[j] < first[i]) {
        ++j;
      } else if (second[j] - first[i] <= pair.reach) {
        ++found;
        break;
      } else {
        ++i;
      }
    }
  }
  return static_cast<double>(found) / static_cast<double>(neighbours_.size());
}

double brevity_of(std::int64_t words) {
  return std::min(1.0, kSelfContained / std::max(1.0, static_cast<double>(words)));
}

}  // namespace memd::search

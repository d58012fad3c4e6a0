#include "store/search/words/match_scorer.hpp"

#include <algorithm>
#include <numeric>

namespace memd::search {
namespace {

constexpr double kFullBm25 = 1.6;      // bm25 from which the feature is 1, in units of Σ idf
constexpr double kBm25Share = 0.6;     // of the text score; the rest is coverage
constexpr double kSelfContained = 60;  // words; a shorter text depends fully on the exchanges around it
constexpr int kNear = 3;               // largest distance, in words of the query, between neighbours

}  // namespace

MatchScorer::MatchScorer(const QueryPlan& plan) : plan_(plan) {
  std::vector<std::size_t> typed(plan.terms.size());
  std::iota(typed.begin(), typed.end(), std::size_t{0});
  std::sort(typed.begin(), typed.end(),
            [&](std::size_t a, std::size_t b) { return plan.terms[a].position < plan.terms[b].position; });
  for (std::size_t i = 0; i + 1 < typed.size(); ++i) {
    const Term& a = plan.terms[typed[i]];
    const int apart = plan.terms[typed[i + 1]].position - a.position;
    if (apart <= kNear)
      neighbours_.push_back({typed[i], typed[i + 1], apart + std::int64_t{a.words} - 1,
                             std::uint64_t{1} << typed[i] | std::uint64_t{1} << typed[i + 1]});
  }
}

Match MatchScorer::match(std::span<const TermHits> hits, double length_ratio) const {
  Match out;
  if (plan_.total_idf <= 0) return out;
  const double soft = softness(length_ratio);
  double found = 0;
  double bm25 = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i].weight <= 0) continue;
    const double idf = plan_.terms[i].idf * plan_.terms[i].found_weight;
    found += idf;
    bm25 += idf * saturated(hits[i].weight, soft);
    out.terms |= std::uint64_t{1} << i;
  }
  out.features.coverage = std::min(1.0, found / plan_.total_idf);
  out.features.bm25 = std::min(1.0, bm25 / (kFullBm25 * plan_.total_idf));
  out.features.adjacency = side_by_side(hits, out.features.coverage);
  out.score =
      kTextWeight * (kBm25Share * bm25 / ((kK1 + 1) * plan_.total_idf) + (1 - kBm25Share) * out.features.coverage) +
      kNeighbourWeight * out.features.adjacency;
  return out;
}

double MatchScorer::bound(double found_idf) const {
  if (plan_.total_idf <= 0) return 0;
  const double share = std::min(1.0, found_idf / plan_.total_idf);
  return kTextWeight * share + kNeighbourWeight;
}

double MatchScorer::bound(double found_idf, double bm25, std::uint64_t terms) const {
  if (plan_.total_idf <= 0) return 0;
  const double share = std::min(1.0, found_idf / plan_.total_idf);
  const double often = std::min(found_idf / plan_.total_idf, bm25 / ((kK1 + 1) * plan_.total_idf));
  double near = share;
  if (!neighbours_.empty()) {
    const auto both = std::count_if(neighbours_.begin(), neighbours_.end(),
                                    [&](const Neighbours& pair) { return (terms & pair.terms) == pair.terms; });
    near = static_cast<double>(both) / static_cast<double>(neighbours_.size());
  }
  return kTextWeight * (kBm25Share * often + (1 - kBm25Share) * share) + kNeighbourWeight * near;
}

double MatchScorer::side_by_side(std::span<const TermHits> hits, double coverage) const {
  if (neighbours_.empty()) return coverage;
  int found = 0;
  for (const Neighbours& pair : neighbours_) {
    const auto& first = hits[pair.first].places;
    const auto& second = hits[pair.second].places;
    for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
      // Terms at the same place are parts of one word, and count as neighbours.
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

#include "store/search/rank/phrasing_fusion.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace memd::search {
namespace {

// Returns the weight of each list; they sum to 1.
std::vector<double> weights_of(std::span<const std::vector<FusionCandidate>> lists, const FusionWeights& weights) {
  std::vector<double> out(lists.size(), 1.0);
  const double best = lists.front().empty() ? 0 : std::clamp(lists.front().front().sort_key(), 0.0, 1.0);
  out.front() = weights.first + weights.sure * std::pow(best, weights.sureness);
  double sum = 0;
  for (const double w : out)
    sum += w;
  for (double& w : out)
    w /= sum;
  return out;
}

}  // namespace

std::vector<FusionCandidate> fuse(std::span<const std::vector<FusionCandidate>> lists, const FusionWeights& weights) {
  std::vector<FusionCandidate> out;
  if (lists.empty()) return out;
  const std::vector<double> shares = weights_of(lists, weights);
  std::unordered_map<ExchangeId, std::size_t> places;
  struct Sum {
    double score = 0;
    double lead = 0;
    double evidence = 0;
  };
  std::vector<Sum> sums;
  for (std::size_t p = 0; p < lists.size(); ++p) {
    for (std::size_t rank = 0; rank < lists[p].size(); ++rank) {
      const FusionCandidate& c = lists[p][rank];
      const auto [at, fresh] = places.try_emplace(c.id, out.size());
      if (fresh) {
        out.push_back(c);
        out.back().phrasing = p;
        out.back().found_by = 0;
        sums.emplace_back();
      }
      FusionCandidate& known = out[at->second];
      sums[at->second].score += shares[p] * c.score;
      sums[at->second].lead += shares[p] * c.lead;
      sums[at->second].evidence += shares[p] * c.evidence;
      if (rank < kFoundAmong) known.found_by |= 1U << p;
      if (!fresh && c.sort_key() > known.sort_key()) {
        const std::uint32_t found_by = known.found_by;
        known = c;
        known.phrasing = p;
        known.found_by = found_by;
      }
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].found_by == 0) out[i].found_by = 1U << out[i].phrasing;
    out[i].score = sums[i].score;
    out[i].lead = sums[i].lead;
    out[i].evidence = sums[i].evidence;
  }
  std::sort(out.begin(), out.end(), ranks_before);
  return out;
}

}  // namespace memd::search

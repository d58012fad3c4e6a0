#include "store/search/rank/phrasing_fusion.hpp"

#include <algorithm>
#include <unordered_map>

namespace memd::search {
namespace {

// The weight of each list; together 1.
std::vector<double> weights_of(std::span<const std::vector<FusionCandidate>> lists, const FusionWeights& weights) {
  std::vector<double> out(lists.size(), 1.0);
  const double best = lists.front().empty() ? 0 : lists.front().front().score;
  out.front() = weights.first + weights.sure * best;
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
  std::vector<double> sums;
  std::unordered_map<std::int64_t, double> sessions;
  for (std::size_t p = 0; p < lists.size(); ++p) {
    std::unordered_map<std::int64_t, double> best;  // lists are sorted: the first of a session is its best
    for (std::size_t rank = 0; rank < lists[p].size(); ++rank) {
      const FusionCandidate& c = lists[p][rank];
      const auto [at, fresh] = places.try_emplace(c.id, out.size());
      if (fresh) {
        out.push_back(c);
        out.back().phrasing = p;
        out.back().found_by = 0;
        sums.push_back(0);
      }
      FusionCandidate& known = out[at->second];
      sums[at->second] += shares[p] * c.score;
      if (rank < kFoundAmong) known.found_by |= 1U << p;
      if (best.try_emplace(c.session, c.score).second) sessions[c.session] += shares[p] * c.score;
      if (!fresh && c.score > known.score) {
        const std::uint32_t found_by = known.found_by;
        known = c;
        known.phrasing = p;
        known.found_by = found_by;
      }
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].found_by == 0) out[i].found_by = 1U << out[i].phrasing;
    out[i].score = (sums[i] + weights.session * sessions[out[i].session]) / (1 + weights.session);
  }
  std::sort(out.begin(), out.end(), [](const FusionCandidate& a, const FusionCandidate& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;
  });
  return out;
}

}  // namespace memd::search

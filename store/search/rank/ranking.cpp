#include "store/search/rank/ranking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace memd::search {
namespace {

constexpr double kHalfLife = 90.0 * kMsPerDay;
constexpr double kMostCloseness = 1.5;

// Returns the contribution of an exchange to the neighbour_turns of others, 0…1.
double own_text(const RankingFeatures& f) {
  constexpr const RankingWeights& w = kRankingWeights;
  const double most = w.bm25 + w.coverage + w.meaning * kMostCloseness;
  return (w.bm25 * f.bm25 + w.coverage * focused_coverage(f) + w.meaning * closeness(f.dense_z)) / most;
}

double kernel(std::int64_t distance) {
  const auto steps = static_cast<std::size_t>(std::llabs(distance));
  if (steps == 0) return 0;
  const std::span<const double> side =
      distance < 0 ? std::span<const double>(kBefore) : std::span<const double>(kAfter);
  return steps <= side.size() ? side[steps - 1] : 0;
}

double share_of(std::uint64_t terms, std::span<const double> shares) {
  double sum = 0;
  for (; terms != 0; terms &= terms - 1)
    if (const auto i = static_cast<std::size_t>(std::countr_zero(terms)); i < shares.size()) sum += shares[i];
  return std::min(1.0, sum);
}

}  // namespace

double closeness(double dense_z) { return std::clamp((dense_z - 1) / 4, 0.0, kMostCloseness); }

double focused_coverage(const RankingFeatures& f) { return f.coverage * std::sqrt(std::clamp(f.bm25, 0.0, 1.0)); }

void standardise(std::span<double> values) {
  if (values.empty()) return;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values)
    squares += (v - mean) * (v - mean);
  const double deviation = std::sqrt(squares / n);
  for (double& v : values)
    v = deviation > 0 ? std::clamp(((v - mean) / deviation + 2) / 5, 0.0, 1.0) : 0;
}

double recency_of(TimeMs started_at, TimeMs now) {
  if (now == 0 || started_at == 0) return 0;
  return std::exp2(-static_cast<double>(std::max<TimeMs>(0, now - started_at)) / kHalfLife);
}

void add_context(std::span<FusionCandidate> candidates, std::span<const double> shares) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t i) { return std::pair(candidates[i].session, candidates[i].number); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  const double kernels = std::accumulate(std::begin(kBefore), std::end(kBefore), 0.0) +
                         std::accumulate(std::begin(kAfter), std::end(kAfter), 0.0);
  std::vector<double> own(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    own[i] = own_text(candidates[i].features);

  std::size_t first = 0;  // first candidate within kSurroundings of `at`
  for (std::size_t at = 0; at < order.size(); ++at) {
    FusionCandidate& here = candidates[order[at]];
    const auto near = [&](std::size_t other) {
      const FusionCandidate& c = candidates[order[other]];
      return c.session == here.session && std::llabs(c.number - here.number) <= kSurroundings;
    };
    while (!near(first))
      ++first;
    std::uint64_t around = 0;
    double neighbours = 0;
    for (std::size_t other = first; other < order.size() && near(other); ++other) {
      const FusionCandidate& c = candidates[order[other]];
      around |= c.terms;
      neighbours += kernel(c.number - here.number) * own[order[other]];
    }
    here.features.neighbour_turns = neighbours / kernels;
    here.features.surroundings = share_of(around, shares);
  }
}

double fused_score(const RankingFeatures& f, bool by_meaning) {
  constexpr const RankingWeights& w = kRankingWeights;
  const double around =
      w.coverage * focused_coverage(f) + w.neighbour_turns * f.neighbour_turns + w.surroundings * f.surroundings;
  double sum = w.bm25 * f.bm25 + w.adjacency * f.adjacency + w.title * f.title + w.identifier * f.identifier +
               f.brevity * around + (1 - f.brevity) * w.self_contained * f.bm25 + w.recency * f.recency +
               w.date * f.date + w.same_project * f.same_project + w.decision * f.decision;
  double most = w.bm25 + w.adjacency + w.title + w.coverage + w.surroundings;
  if (by_meaning) {
    sum += w.meaning * closeness(f.dense_z) + w.tokens * f.tokens + w.second_look * f.second_look;
    most += w.meaning * kMostCloseness;
  }
  return sum / most * (f.abandoned > 0 ? w.abandoned : 1) * (f.subagent > 0 ? w.subagent : 1);
}

bool ranks_before(const FusionCandidate& a, const FusionCandidate& b) {
  return a.sort_key() != b.sort_key() ? a.sort_key() > b.sort_key() : a.id > b.id;
}

void rank(std::vector<FusionCandidate>& candidates, bool by_meaning) {
  for (FusionCandidate& c : candidates) {
    c.score = fused_score(c.features, by_meaning);
    c.lead = c.features.verbatim;
  }
  std::sort(candidates.begin(), candidates.end(), ranks_before);
}

namespace {

constexpr std::string_view kBuiltin = "builtin/";
constexpr double kMostDeviations = 8;
constexpr double kFullCosine = 0.6;

}  // namespace

const EvidenceWeights& evidence_weights(std::string_view model) {
  if (model.empty()) return kEvidenceByWords;
  return model.starts_with(kBuiltin) ? kEvidenceByCosine : kEvidenceByDeviations;
}

const EvidenceWeights& answer_weights(std::string_view model, bool looked, bool several) {
  if (!model.starts_with(kBuiltin)) return evidence_weights(model);
  if (several) return kEvidenceBySeveral;
  return looked ? kEvidenceBySecondLook : kEvidenceByOneLook;
}

double gap_of(std::span<const double> scores) {
  if (scores.empty()) return 0;
  const std::span<const double> rest = scores.subspan(std::min<std::size_t>(scores.size(), kJudgedHits));
  const double mean =
      rest.empty() ? 0 : std::accumulate(rest.begin(), rest.end(), 0.0) / static_cast<double>(rest.size());
  return scores.front() - mean;
}

double evidence(const RankingFeatures& f, const EvidenceWeights& w) {
  return w.coverage * f.coverage + w.bm25 * f.bm25 + w.identifier * f.identifier +
         w.surroundings * f.brevity * f.surroundings +
         w.deviations * std::clamp(f.dense_z / kMostDeviations, 0.0, 1.0) +
         w.cosine * std::clamp(f.cosine / kFullCosine, 0.0, 1.0) + w.surprise * f.surprise +
         w.soft_coverage * std::max(f.soft_coverage, f.coverage) + w.network_cosine * f.network_cosine;
}

double log_odds(double evidence, const EvidenceWeights& w, bool several) {
  return evidence + (several ? w.several : w.constant);
}

double likelihood(double evidence, const EvidenceWeights& w, bool several) {
  return 1 / (1 + std::exp(-log_odds(evidence, w, several)));
}

Confidence confidence_of(double likelihood) {
  if (likelihood >= kProbable) return Confidence::high;
  return likelihood >= kPossible ? Confidence::medium : Confidence::low;
}

}  // namespace memd::search

#include "bench/retrieval/confidence_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace memd::bench {
namespace {

using search::EvidenceWeights;
using Coordinate = CoordinateOf<EvidenceWeights>;

constexpr double kLeastGain = 0.004;
constexpr int kPasses = 3;
constexpr double kSaid = 0.85;  // of the questions about other things, in the part where it is least
constexpr std::array<double, 5> kShares{0.75, 0.8, 0.85, 0.9, 0.95};
constexpr double kNever = std::numeric_limits<double>::infinity();

constexpr std::array<double, 8> kFactors{0, 0.25, 0.5, 0.75, 1, 1.5, 2, 4};
constexpr std::array<Coordinate, 3> kCoordinates{{
    {"bm25", [](EvidenceWeights& w) -> double& { return w.bm25; }, kFactors},
    {"surroundings", [](EvidenceWeights& w) -> double& { return w.surroundings; }, kFactors},
    {"deviations", [](EvidenceWeights& w) -> double& { return w.deviations; }, kFactors},
}};

// The features of an answer's first hits.
struct Judged {
  std::string part;
  bool by_meaning;
  bool train;
  bool talked_of;
  std::vector<RankingFeatures> best;

  // Nothing relevant is said when more than this is wanted.
  double evidence(EvidenceWeights w) const {
    w.enough = w.enough_by_words = kNever;
    if (!search::nothing_relevant(best, by_meaning, w)) return kNever;
    double most = 0;
    for (const RankingFeatures& f : best)
      most = std::max(most, search::evidence(f, w));
    return most;
  }
};

std::vector<Judged> judged(const RankingCases& cases, const search::RankingWeights& ranking) {
  std::vector<Judged> out;
  for (const RankingCase& c : cases.all()) {
    const Experiment::Plan& plan = cases.plans().at(c.part);
    if (!plan.memd_only) continue;
    Judged& j = out.emplace_back(Judged{c.part, c.by_meaning, c.has("train"), c.has(kTalkedOf), {}});
    j.best = answer(c, plan.unit, ranking).features;
    if (j.best.size() > search::kJudgedHits) j.best.resize(search::kJudgedHits);
  }
  return out;
}

struct Sides {
  std::vector<double> talked_of;
  std::vector<double> other;  // sorted
};
using ByCell = std::map<std::pair<std::string, bool>, Sides>;

ByCell on_train(const std::vector<Judged>& all, const EvidenceWeights& w) {
  ByCell out;
  for (const Judged& j : all)
    if (j.train)
      (j.talked_of ? out[{j.part, j.by_meaning}].talked_of : out[{j.part, j.by_meaning}].other)
          .push_back(j.evidence(w));
  for (auto& [cell, sides] : out)
    std::sort(sides.other.begin(), sides.other.end());
  return out;
}

// So much that of the questions about other things this share finds less, in each part.
EvidenceWeights with_thresholds(const ByCell& train, EvidenceWeights w, double share) {
  w.enough = w.enough_by_words = 0;
  for (const auto& [cell, sides] : train) {
    double& enough = cell.second ? w.enough : w.enough_by_words;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(sides.other.size()));
    enough = std::max(enough, sides.other[std::min(at, sides.other.size() - 1)]);
  }
  return w;
}

// The share of the questions that were talked of that find enough: the mean over parts and modes, and over what could
// be wanted of the others.
double told_apart(const std::vector<Judged>& all, const EvidenceWeights& weights) {
  const ByCell cells = on_train(all, weights);
  double sum = 0;
  for (const double share : kShares) {
    const EvidenceWeights w = with_thresholds(cells, weights, share);
    for (const auto& [cell, sides] : cells) {
      const double enough = cell.second ? w.enough : w.enough_by_words;
      const auto found =
          std::count_if(sides.talked_of.begin(), sides.talked_of.end(), [&](double e) { return e >= enough; });
      sum += static_cast<double>(found) / static_cast<double>(sides.talked_of.size());
    }
  }
  return sum / static_cast<double>(cells.size() * kShares.size());
}

std::string in_words(const std::vector<Judged>& all, const EvidenceWeights& w) {
  std::map<std::tuple<std::string, bool, bool, bool>, std::pair<int, int>> said;
  for (const Judged& j : all) {
    auto& [yes, of] = said[{j.part, j.by_meaning, j.train, j.talked_of}];
    yes += search::nothing_relevant(j.best, j.by_meaning, w) ? 1 : 0;
    ++of;
  }
  std::string out;
  for (const auto& [cell, counts] : said) {
    const auto& [part, by_meaning, train, talked_of] = cell;
    out += fmt::format("  {:<16} {:<7} {:<5} {:<13} {:>4} {:.1f}%\n", part, by_meaning ? "hybrid" : "lexical",
                       train ? "train" : "test", talked_of ? "talked of" : "never", counts.second,
                       100.0 * counts.first / counts.second);
  }
  return out;
}

std::string in_words(const EvidenceWeights& w) {
  return fmt::format("coverage {:.3g} bm25 {:.3g} surroundings {:.3g} deviations {:.3g} enough {:.3f} by words {:.3f}",
                     w.coverage, w.bm25, w.surroundings, w.deviations, w.enough, w.enough_by_words);
}

}  // namespace

EvidenceWeights neutral_evidence_weights() {
  EvidenceWeights w;
  w.coverage = w.bm25 = w.surroundings = w.deviations = 1;
  w.enough = w.enough_by_words = kNever;
  return w;
}

std::string confidence_fit_report(const RankingCases& cases, const search::RankingWeights& ranking) {
  const std::vector<Judged> all = judged(cases, ranking);
  if (all.empty()) return {};
  const auto found = search_weights(neutral_evidence_weights(), kCoordinates, kLeastGain, kPasses,
                                    [&](const EvidenceWeights& w) { return told_apart(all, w); });
  const auto found_by = [&](const EvidenceWeights& w) { return with_thresholds(on_train(all, w), w, kSaid); };
  std::string out = "nothing relevant, said of:\n";
  for (const auto& [name, weights] :
       {std::pair("neutral", found_by(neutral_evidence_weights())), std::pair("fitted", found_by(found.weights)),
        std::pair("compiled, enough fitted", found_by(EvidenceWeights{})), std::pair("compiled", EvidenceWeights{})})
    out += fmt::format("{}: told apart {:.3f}; {}\n{}", name, told_apart(all, weights), in_words(weights),
                       in_words(all, weights));
  return out;
}

}  // namespace memd::bench

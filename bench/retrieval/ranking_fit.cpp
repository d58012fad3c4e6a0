#include "bench/retrieval/ranking_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace memd::bench {
namespace {

using search::RankingWeights;
using Coordinate = CoordinateOf<RankingWeights>;

constexpr double kLeastGain = 0.004;
constexpr int kPasses = 3;

constexpr std::array<double, 10> kFactors{0, 0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4};
constexpr std::array<Coordinate, 8> kCoordinates{{
    {"coverage", [](RankingWeights& w) -> double& { return w.coverage; }, kFactors},
    {"self-contained", [](RankingWeights& w) -> double& { return w.self_contained; }, kFactors},
    {"neighbour turns", [](RankingWeights& w) -> double& { return w.neighbour_turns; }, kFactors},
    {"surroundings", [](RankingWeights& w) -> double& { return w.surroundings; }, kFactors},
    {"meaning", [](RankingWeights& w) -> double& { return w.meaning; }, kFactors},
    {"adjacency", [](RankingWeights& w) -> double& { return w.adjacency; }, kFactors},
    {"identifier", [](RankingWeights& w) -> double& { return w.identifier; }, kFactors},
    {"date", [](RankingWeights& w) -> double& { return w.date; }, kFactors},
}};

using Counts = std::function<bool(const RankingCase&)>;

// One part, one mode.
struct Cell {
  std::string part;
  bool by_meaning;
  auto operator<=>(const Cell&) const = default;
};

class Objective {
 public:
  explicit Objective(const RankingCases& cases) : cases_(cases) {}

  // The mean over the parts and modes of the mean over their questions, of nDCG@10 where a part has it, else of MRR.
  double operator()(const RankingWeights& weights, const Counts& counts) const {
    std::map<Cell, std::vector<double>> values;
    for (const RankingCase& c : cases_.all()) {
      if (!counts(c)) continue;
      const Experiment::Plan& plan = cases_.plans().at(c.part);
      if (plan.memd_only) continue;
      values[{c.part, c.by_meaning}].push_back(
          wanted(plan).value(answer(c, plan.unit, weights).list, plan.unit, c.question.relevant));
    }
    double sum = 0;
    for (const auto& [cell, of_cell] : values)
      sum += std::accumulate(of_cell.begin(), of_cell.end(), 0.0) / static_cast<double>(of_cell.size());
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }

 private:
  static const Measure& wanted(const Experiment::Plan& plan) {
    const auto named = [&](std::string_view name) {
      return std::find_if(plan.measures.begin(), plan.measures.end(), [&](const Measure& m) { return m.name == name; });
    };
    const auto ndcg = named("nDCG@10");
    return ndcg != plan.measures.end() ? *ndcg : *named("MRR");
  }

  const RankingCases& cases_;
};

FoundOf<RankingWeights> fit(const Objective& objective, const Counts& counts) {
  return search_weights(neutral_ranking_weights(), kCoordinates, kLeastGain, kPasses,
                        [&](const RankingWeights& w) { return objective(w, counts); });
}

std::string in_words(RankingWeights weights) {
  std::string out;
  for (const Coordinate& c : kCoordinates)
    out += fmt::format("  {} {:.4g}", c.name, c.of(weights));
  return out;
}

std::string in_words(const std::vector<Step>& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format("  {} {:.4g}: {:.4f}{}\n", step.coordinate, step.value, step.score, step.taken ? "  taken" : "");
  return out;
}

using Named = std::pair<std::string, std::function<RankingWeights(const RankingCase&)>>;

// A line for each part, group, mode and way to choose the weights.
std::string in_words(const RankingCases& cases, std::span<const std::string> groups, std::span<const Named> ways) {
  std::string out;
  for (const auto& [part, plan] : cases.plans()) {
    if (plan.memd_only) continue;
    for (const std::string& group : groups)
      for (const bool by_meaning : {false, true}) {
        std::vector<const RankingCase*> counted;
        for (const RankingCase& c : cases.all())
          if (c.part == part && c.by_meaning == by_meaning && c.has(group)) counted.push_back(&c);
        if (counted.empty()) continue;
        for (const auto& [name, weights] : ways) {
          std::vector<std::vector<double>> values(plan.measures.size());
          for (const RankingCase* c : counted) {
            const RankedList list = answer(*c, plan.unit, weights(*c)).list;
            for (std::size_t m = 0; m < plan.measures.size(); ++m)
              values[m].push_back(plan.measures[m].value(list, plan.unit, c->question.relevant));
          }
          out += fmt::format("  {:<16} {:<6} {:>4} {:<8} {:<9}", part, group, counted.size(),
                             by_meaning ? "hybrid" : "lexical", name);
          for (std::size_t m = 0; m < plan.measures.size(); ++m) {
            const Estimate e = bootstrap_mean(values[m]);
            out += fmt::format("  {} {:.3f} [{:.3f} {:.3f}]", plan.measures[m].name, e.mean, e.low, e.high);
          }
          out += '\n';
        }
      }
  }
  return out;
}

}  // namespace

RankingWeights neutral_ranking_weights() {
  RankingWeights w;
  for (const Coordinate& c : kCoordinates)
    c.of(w) = 1;
  return w;
}

std::span<const Coordinate> ranking_coordinates() { return kCoordinates; }

std::string ranking_fit_report(const RankingCases& cases, bool leave_one_out) {
  const Objective objective(cases);
  const auto in = [](std::string_view group) { return [group](const RankingCase& c) { return c.has(group); }; };
  const FoundOf<RankingWeights> found = fit(objective, in("train"));
  const std::array<std::pair<std::string, RankingWeights>, 3> sets{
      {{"neutral", neutral_ranking_weights()}, {"fitted", found.weights}, {"compiled", RankingWeights{}}}};
  std::string out = "tried, on the questions to fit on:\n" + in_words(found.steps);
  std::vector<Named> ways;
  for (const auto& [name, weights] : sets) {
    out += fmt::format("{:<9} fit on {:.4f}, the rest {:.4f} {}\n", name, objective(weights, in("train")),
                       objective(weights, in("test")), in_words(weights));
    ways.emplace_back(name, [w = weights](const RankingCase&) { return w; });
  }
  const std::array<std::string, 2> halves{"train", "test"};
  out += in_words(cases, halves, ways);
  if (!leave_one_out) return out;

  std::map<std::string, RankingWeights> without;
  for (const RankingCase& c : cases.all())
    if (const std::string dialog = c.dialog(); !dialog.empty()) without.try_emplace(dialog);
  for (auto& [dialog, weights] : without) {
    weights = fit(objective, [&](const RankingCase& c) {
                const std::string of = c.dialog();
                return of.empty() ? c.has("train") : of != dialog;
              }).weights;
    out += fmt::format("without {}: {}\n", dialog, in_words(weights));
  }
  std::vector<std::string> dialogs;
  for (const auto& [dialog, weights] : without)
    dialogs.push_back(dialog);
  ways.erase(ways.begin() + 1);
  ways.emplace_back("left out", [&](const RankingCase& c) { return without.at(c.dialog()); });
  return out + in_words(cases, dialogs, ways);
}

namespace {

using search::EvidenceWeights;
using ConfidenceFitCoordinate = CoordinateOf<EvidenceWeights>;

constexpr double kConfidenceFitLeastGain = 0.004;
constexpr int kConfidenceFitPasses = 3;
constexpr std::array<double, 5> kShares{0.75, 0.8, 0.85, 0.9, 0.95};
// Of the questions about other things, in the part where it is least.
constexpr double kSaid = 0.9;
constexpr double kSaidByWords = 0.85;
constexpr double kNever = std::numeric_limits<double>::infinity();

constexpr std::array<double, 9> kConfidenceFitFactors{0, 0.125, 0.25, 0.5, 1, 1.5, 2, 3, 4};
constexpr std::array<ConfidenceFitCoordinate, 3> kConfidenceFitCoordinates{{
    {"bm25", [](EvidenceWeights& w) -> double& { return w.bm25; }, kConfidenceFitFactors},
    {"surroundings", [](EvidenceWeights& w) -> double& { return w.surroundings; }, kConfidenceFitFactors},
    {"cosine", [](EvidenceWeights& w) -> double& { return w.cosine; }, kConfidenceFitFactors},
}};

// The features of an answer's first hits.
struct Judged {
  std::string part;
  std::string dialog;  // empty: of none
  bool train;
  bool talked_of;
  std::vector<RankingFeatures> best;

  // Nothing relevant is said when more than this is wanted.
  double evidence(EvidenceWeights w) const {
    w.enough = kNever;
    if (!search::nothing_relevant(best, w)) return kNever;
    double most = 0;
    for (const RankingFeatures& f : best)
      most = std::max(most, search::evidence(f, w));
    return most;
  }
};

std::vector<Judged> judged(const RankingCases& cases, const search::RankingWeights& ranking, bool by_meaning) {
  std::vector<Judged> out;
  for (const RankingCase& c : cases.all()) {
    const Experiment::Plan& plan = cases.plans().at(c.part);
    if (!plan.memd_only || c.by_meaning != by_meaning) continue;
    Judged& j = out.emplace_back(Judged{c.part, c.dialog(), c.has("train"), c.has(kTalkedOf), {}});
    j.best = answer(c, plan.unit, ranking).features;
    if (j.best.size() > search::kJudgedHits) j.best.resize(search::kJudgedHits);
  }
  return out;
}

struct Sides {
  std::vector<double> talked_of;
  std::vector<double> other;  // sorted
};
using ByPart = std::map<std::string, Sides>;

ByPart on_train(const std::vector<Judged>& all, const EvidenceWeights& w) {
  ByPart out;
  for (const Judged& j : all)
    if (j.train) (j.talked_of ? out[j.part].talked_of : out[j.part].other).push_back(j.evidence(w));
  for (auto& [part, sides] : out)
    std::sort(sides.other.begin(), sides.other.end());
  return out;
}

// So much that of the questions about other things this share finds less, in each part.
double enough(const ByPart& train, double share) {
  double out = 0;
  for (const auto& [part, sides] : train) {
    const auto at = static_cast<std::size_t>(share * static_cast<double>(sides.other.size()));
    if (!sides.other.empty()) out = std::max(out, sides.other[std::min(at, sides.other.size() - 1)]);
  }
  return out;
}

EvidenceWeights with_enough(const std::vector<Judged>& all, EvidenceWeights w, double share) {
  w.enough = enough(on_train(all, w), share);
  return w;
}

// The share of the questions that were talked of that find enough: the mean over parts, and over what could be wanted
// of the others.
double told_apart(const std::vector<Judged>& all, const EvidenceWeights& weights) {
  const ByPart parts = on_train(all, weights);
  double sum = 0;
  for (const double share : kShares)
    for (const auto& [part, sides] : parts) {
      const auto found = std::count_if(sides.talked_of.begin(), sides.talked_of.end(),
                                       [least = enough(parts, share)](double e) { return e >= least; });
      sum += static_cast<double>(found) / static_cast<double>(sides.talked_of.size());
    }
  return sum / static_cast<double>(parts.size() * kShares.size());
}

// How often it is said: of those about other things, of those that were talked of.
std::string in_words(const std::vector<Judged>& all, const EvidenceWeights& w) {
  std::map<std::tuple<std::string, bool, bool>, std::pair<int, int>> said;
  for (const Judged& j : all) {
    auto& [yes, of] = said[{j.part, !j.train, j.talked_of}];
    yes += search::nothing_relevant(j.best, w) ? 1 : 0;
    ++of;
  }
  std::string out = fmt::format("enough {:.3f}", w.enough);
  for (const auto& [cell, counts] : said) {
    const auto& [part, test, talked_of] = cell;
    out += talked_of ? " / " : fmt::format("  {} {} ", part, test ? "test" : "train");
    out += fmt::format("{:.1f}%", 100.0 * counts.first / counts.second);
  }
  return out + "\n";
}

EvidenceWeights fit(const std::vector<Judged>& all, bool by_meaning) {
  return search_weights(neutral_evidence_weights(by_meaning), kConfidenceFitCoordinates, kConfidenceFitLeastGain,
                        kConfidenceFitPasses, [&](const EvidenceWeights& w) { return told_apart(all, w); })
      .weights;
}

// Of each dialog, by what was fitted on all others (and `train` of what is no dialog), the compiled weights beside
// them.
std::string left_out(const std::vector<Judged>& all, bool by_meaning, const EvidenceWeights& compiled) {
  std::set<std::string> dialogs;
  for (const Judged& j : all)
    if (!j.dialog.empty()) dialogs.insert(j.dialog);
  std::map<std::pair<std::string, double>, std::array<std::pair<int, int>, 2>> said;
  for (const std::string& dialog : dialogs) {
    std::vector<Judged> others = all;
    for (Judged& j : others)
      if (!j.dialog.empty()) j.train = j.dialog != dialog;
    std::vector<std::pair<std::string, EvidenceWeights>> sets{{"left out", fit(others, by_meaning)},
                                                              {"compiled", compiled}};
    if (by_meaning) sets.emplace_back("by deviations", search::kEvidenceByDeviations);
    for (const auto& [name, weights] : sets)
      for (const double share : kShares) {
        const EvidenceWeights w = with_enough(others, weights, share);
        for (const Judged& j : others) {
          if (j.dialog != dialog) continue;
          auto& [yes, of] = said[{name, share}][j.talked_of ? 1 : 0];
          yes += search::nothing_relevant(j.best, w) ? 1 : 0;
          ++of;
        }
      }
  }
  std::string out;
  const auto percent = [](std::pair<int, int> c) { return 100.0 * c.first / std::max(1, c.second); };
  for (const auto& [way, counts] : said)
    out += fmt::format("each dialog, enough for {:.0f}% of the others: {} {:.1f}% / {:.1f}%\n", 100 * way.second,
                       way.first, percent(counts[0]), percent(counts[1]));
  return out;
}

std::string report(const std::vector<Judged>& all, bool by_meaning, bool leave_one_out) {
  if (all.empty()) return {};
  const double share = by_meaning ? kSaid : kSaidByWords;
  const EvidenceWeights compiled = by_meaning ? search::kEvidenceByCosine : search::kEvidenceByWords;
  std::vector<std::pair<std::string, EvidenceWeights>> sets{{"neutral", neutral_evidence_weights(by_meaning)},
                                                            {"fitted", fit(all, by_meaning)}};
  if (by_meaning) sets.emplace_back("by deviations", search::kEvidenceByDeviations);
  sets.emplace_back("compiled", compiled);
  std::string out = fmt::format("nothing relevant, {}; said of what was never talked of / of what was:\n",
                                by_meaning ? "hybrid" : "lexical");
  for (const auto& [name, w] : sets) {
    out += fmt::format(
        "{}: coverage {:.3g} bm25 {:.3g} surroundings {:.3g} deviations {:.3g} cosine {:.3g}; told apart"
        " {:.3f}\n",
        name, w.coverage, w.bm25, w.surroundings, w.deviations, w.cosine, told_apart(all, w));
    for (const double of : kShares)
      out += fmt::format("  {:.0f}%{}: {}", 100 * of, of == share ? " (taken)" : "",
                         in_words(all, with_enough(all, w, of)));
  }
  out += "compiled, as it is: " + in_words(all, compiled);
  return leave_one_out ? out + left_out(all, by_meaning, compiled) : out;
}

}  // namespace

EvidenceWeights neutral_evidence_weights(bool by_meaning) {
  return {.coverage = 1, .bm25 = 1, .surroundings = 1, .cosine = by_meaning ? 1.0 : 0.0, .enough = kNever};
}

std::string confidence_fit_report(const RankingCases& cases, const search::RankingWeights& ranking,
                                  bool leave_one_out) {
  return report(judged(cases, ranking, false), false, leave_one_out) +
         report(judged(cases, ranking, true), true, leave_one_out);
}

}  // namespace memd::bench

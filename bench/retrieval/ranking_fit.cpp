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

// A cell of the score: one part in one mode.
struct Cell {
  std::string part;
  bool by_meaning;
  auto operator<=>(const Cell&) const = default;
};

class Objective {
 public:
  explicit Objective(const RankingCases& cases) : cases_(cases) {}

  // Returns the mean over parts and modes of the mean over their questions, of nDCG@10 if the part has it, else of MRR.
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

// Renders a line for each part, group, mode and set of weights.
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

}  // namespace memd::bench

#pragma once

#include "bench/retrieval/ranking_cases.hpp"
#include "store/search/rank/ranking.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Fits the weights of search on questions of the group "train", by a reproducible search. Pure functions of the cases;
// any thread.
namespace memd::bench {

template <class Weights>
struct CoordinateOf {
  std::string_view name;
  double& (*of)(Weights&);
  std::span<const double> factors;  // factors of the start value; 1 is among them
};

struct Step {
  std::string_view coordinate;
  double value = 0;
  double score = 0;
  bool taken = false;
};

template <class Weights>
struct FoundOf {
  Weights weights;
  double score = 0;
  std::vector<Step> steps;  // all steps tried, in order
};

// Searches coordinate by coordinate. For each, tries all its factors of `start` and takes the best one that gains more
// than `least_gain`; the first one of equals. Ends when a pass changes nothing, or after `passes`.
template <class Weights>
FoundOf<Weights> search_weights(const Weights& start,
                                std::span<const std::type_identity_t<CoordinateOf<Weights>>> along, double least_gain,
                                int passes, const std::function<double(const std::type_identity_t<Weights>&)>& score) {
  FoundOf<Weights> found{start, score(start), {}};
  for (int pass = 0; pass < passes; ++pass) {
    bool changed = false;
    for (const CoordinateOf<Weights>& c : along) {
      Weights origin = start;
      const double from = c.of(origin);
      FoundOf<Weights> best{found.weights, found.score + least_gain, {}};
      std::size_t taken = found.steps.size();
      bool better = false;
      for (const double factor : c.factors) {
        Weights w = found.weights;
        if (c.of(w) == from * factor) continue;
        c.of(w) = from * factor;
        const double reached = score(w);
        if (reached > best.score) {
          best.weights = w;
          best.score = reached;
          taken = found.steps.size();
          better = true;
        }
        found.steps.push_back({c.name, from * factor, reached, false});
      }
      if (!better) continue;
      found.weights = best.weights;
      found.score = best.score;
      found.steps[taken].taken = true;
      changed = true;
    }
    if (!changed) break;
  }
  return found;
}

// Returns the start weights: the fitted ones are equal; those of title, age and project are as compiled, because no
// question rewards them.
search::RankingWeights neutral_ranking_weights();
std::span<const CoordinateOf<search::RankingWeights>> ranking_coordinates();

// Fits the weights of the ranking. The report lists the steps and the result, and the scores of each part with neutral,
// found and compiled weights. `leave_one_out` also fits without each dialog in turn and tests on that dialog.
std::string ranking_fit_report(const RankingCases& cases, bool leave_one_out);

}  // namespace memd::bench

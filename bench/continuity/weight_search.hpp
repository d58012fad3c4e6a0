#pragma once

#include "store/continuity/weights.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

// Weights of the pack by a search that anyone can repeat.
namespace memd::bench {

// Nothing known: uses of all kinds and ages alike, parts of the same size but for what is told.
continuity::Weights neutral_weights();

struct Coordinate {
  std::string_view name;
  double& (*of)(continuity::Weights&);
  std::span<const double> factors;  // of the value it starts with; 1 among them
};
// Those that are fitted. The shares of what is told are not.
std::span<const Coordinate> coordinates();

struct Step {
  std::string_view coordinate;
  double value = 0;
  double score = 0;
  bool taken = false;
};

struct FoundWeights {
  continuity::Weights weights;
  double score = 0;
  std::vector<Step> steps;  // all that was tried, in order
};

// One coordinate after the other, each at all its factors of `start`; the best is taken when it gains more than
// `least_gain`, of equal ones the first. Until a pass changes nothing, at most `passes`.
FoundWeights search_weights(const continuity::Weights& start, std::span<const Coordinate> along, double least_gain,
                            int passes, const std::function<double(const continuity::Weights&)>& score);

}  // namespace memd::bench

#include "bench/continuity/weight_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace memd::bench {
namespace {

using continuity::Weights;

constexpr std::array<double, 3> kFactors{0.5, 1, 2};
constexpr std::array<Coordinate, 2> kTwo{{
    {"a", [](Weights& w) -> double& { return w.name_in_edit; }, kFactors},
    {"b", [](Weights& w) -> double& { return w.file_modified; }, kFactors},
}};

Weights start() {
  Weights w;
  w.name_in_edit = w.file_modified = 1;
  return w;
}

TEST(WeightSearch, FindsWhatIsBestAndKeepsTheRest) {
  const auto found = search_weights(start(), kTwo, 0.01, 5, [](const Weights& w) {
    return -std::abs(w.name_in_edit - 2) - std::abs(w.file_modified - 0.4);
  });
  EXPECT_EQ(found.weights.name_in_edit, 2);
  EXPECT_EQ(found.weights.file_modified, 0.5);
  EXPECT_EQ(found.weights.name_half_life, start().name_half_life);
  EXPECT_NEAR(found.score, -0.1, 1e-9);
  EXPECT_EQ(found.steps.size(), 8U) << "two values of each, and once more to see that nothing changes";
  EXPECT_TRUE(found.steps[1].taken);
  EXPECT_FALSE(found.steps[0].taken);
}

TEST(WeightSearch, WhatGainsTooLittleStays) {
  const auto found = search_weights(start(), kTwo, 0.5, 5, [](const Weights& w) { return w.name_in_edit * 0.4; });
  EXPECT_EQ(found.weights.name_in_edit, 1);
  EXPECT_EQ(found.steps.size(), 4U);
}

TEST(WeightSearch, OfEqualOnesTheFirstIsTaken) {
  const auto found =
      search_weights(start(), kTwo, 0.01, 1, [](const Weights& w) { return w.name_in_edit == 1 ? 0.0 : 1.0; });
  EXPECT_EQ(found.weights.name_in_edit, 0.5);
}

TEST(WeightSearch, WhatIsToldIsNotFitted) {
  Weights w = neutral_weights();
  for (const Coordinate& c : coordinates()) {
    EXPECT_NE(&c.of(w), &w.whole.told);
    EXPECT_NE(&c.of(w), &w.complement.told);
    EXPECT_NE(std::count(c.factors.begin(), c.factors.end(), 1.0), 0) << c.name;
  }
  for (const auto& shares : {w.whole, w.complement, Weights().whole, Weights().complement})
    EXPECT_LT(shares.told + shares.files * 1.5 + shares.commands * 1.5, 1.01) << "the names keep a part";
}

}  // namespace
}  // namespace memd::bench

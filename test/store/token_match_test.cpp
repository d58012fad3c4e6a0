#include "store/enrich/embedding/token_match.hpp"
#include "synthetic_model.hpp"

#include <gtest/gtest.h>

namespace memd::embedding {
namespace {

test::SyntheticModel model_of_colours() {
  return {.tokens = {"[UNK]", "red", "blue", "crimson"},
          .scale = {1, 2, 1, 1},
          .table = {9, 9, 9, 9, 3, 0, 0, 0, 0, 16, 0, 0, 4, 3, 0, 0}};
}

TEST(TokenMatch, WeighsTheNearestTokenOfEachByTheLengthOfItsRow) {
  const auto file = model_of_colours().file();
  const StaticModel model = StaticModel::load(file).value();
  TokenMatch match(model, "red blue");  // rows of lengths 6 and 16
  EXPECT_NEAR(match.compare("blue and red"), 1, 1e-6) << "as near as can be, in any order";
  EXPECT_NEAR(match.compare("red"), 6.0 / 22, 1e-6);
  EXPECT_NEAR(match.compare("crimson"), (6 * 0.8 + 16 * 0.6) / 22, 1e-6);
  EXPECT_NEAR(match.compare("crimson blue"), (6 * 0.8 + 16) / 22, 1e-6) << "each takes what is nearest to it";
  EXPECT_EQ(match.compare(""), 0);
}

TEST(TokenMatch, WordsThatCannotBeSpelledAreNotAskedFor) {
  const auto file = model_of_colours().file();
  const StaticModel model = StaticModel::load(file).value();
  EXPECT_NEAR(TokenMatch(model, "red xyzzy red").compare("red"), 1, 1e-6);
  EXPECT_EQ(TokenMatch(model, "xyzzy").compare("red"), 0);
}

}  // namespace
}  // namespace memd::embedding

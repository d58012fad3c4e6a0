#include "bench/retrieval/question.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace memd::bench {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(Measures, RecallCountsEachRelevantKeyOnceAndOnlyUpToK) {
  EXPECT_DOUBLE_EQ(recall({"a", "b", "c"}, {"b", "c", "x", "y"}, 3), 0.5);
  EXPECT_DOUBLE_EQ(recall({"a", "b", "c"}, {"b", "c", "x", "y"}, 2), 0.25);
  EXPECT_DOUBLE_EQ(recall({"b", "b"}, {"b", "x"}, 2), 0.5);
  EXPECT_DOUBLE_EQ(recall({}, {"b"}, 10), 0);
}

TEST(Measures, NdcgDiscountsByRankAndKnowsTheBestListPossible) {
  EXPECT_DOUBLE_EQ(ndcg({"a", "b"}, {"a", "b"}, 10), 1);
  EXPECT_THAT(ndcg({"x", "a"}, {"a"}, 10), DoubleNear(1 / std::log2(3.0), 1e-12));
  // Relevant are the second and the fourth of four: (1/log2 3 + 1/log2 5) / (1 + 1/log2 3).
  const double expected = (1 / std::log2(3.0) + 1 / std::log2(5.0)) / (1 + 1 / std::log2(3.0));
  EXPECT_THAT(ndcg({"x", "a", "y", "b"}, {"a", "b"}, 10), DoubleNear(expected, 1e-12));
  EXPECT_DOUBLE_EQ(ndcg({"x", "a"}, {"a"}, 1), 0);
  EXPECT_DOUBLE_EQ(ndcg({"a"}, {"a", "b", "c"}, 1), 1) << "no list of one can be better";
}

TEST(Measures, HitAndReciprocalRank) {
  EXPECT_EQ(hit({"x", "a"}, {"a"}, 1), 0);
  EXPECT_EQ(hit({"x", "a"}, {"a"}, 2), 1);
  EXPECT_DOUBLE_EQ(reciprocal_rank({"x", "y", "a", "b"}, {"a", "b"}), 1.0 / 3);
  EXPECT_EQ(reciprocal_rank({"x"}, {"a"}), 0);
}

TEST(Bootstrap, IntervalHoldsTheMeanAndNarrowsWithMoreQuestions) {
  std::vector<double> few;
  std::vector<double> many;
  for (int i = 0; i < 2000; ++i)
    (i < 40 ? few : many).push_back(i % 4 == 0 ? 1 : 0);
  const Estimate a = bootstrap_mean(few);
  const Estimate b = bootstrap_mean(many);
  EXPECT_DOUBLE_EQ(a.mean, 0.25);
  EXPECT_LT(a.low, 0.25);
  EXPECT_GT(a.high, 0.25);
  // The normal approximation: 1.96 · sqrt(p (1 − p) / n).
  EXPECT_THAT(b.high - b.low, DoubleNear(2 * 1.96 * std::sqrt(0.25 * 0.75 / 1960), 0.004));
  EXPECT_LT(b.high - b.low, (a.high - a.low) / 4);
}

TEST(Bootstrap, SameValuesHaveNoInterval) {
  const Estimate e = bootstrap_mean({0.5, 0.5, 0.5});
  EXPECT_EQ(e.low, 0.5);
  EXPECT_EQ(e.high, 0.5);
}

TEST(Bootstrap, DifferencesArePaired) {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 100; ++i) {
    b.push_back(i % 2);
    a.push_back(b.back() + 0.01);  // far less than the spread of a or b
  }
  const Estimate e = bootstrap_difference(a, b);
  EXPECT_THAT(e.low, DoubleNear(0.01, 1e-9));
  EXPECT_THAT(e.high, DoubleNear(0.01, 1e-9));
  EXPECT_THROW(bootstrap_difference({1}, {1, 2}), std::invalid_argument);
}

Hit at(const char* exchange, const char* session) { return {exchange, session, 0, {}}; }

TEST(Rankings, SessionStandsWhereItsFirstHitStands) {
  const std::vector<Hit> hits{at("x3", "s1"), at("x9", "s2"), at("x4", "s1"), at("x1", "s3")};
  EXPECT_THAT(ranked_keys(hits, Unit::session), ElementsAre("s1", "s2", "s3"));
  EXPECT_THAT(ranked_keys(hits, Unit::exchange), ElementsAre("x3", "x9", "x4", "x1"));
}

TEST(Rankings, FusionPrefersWhatBothListsHold) {
  RankedList words;
  RankedList meaning;
  words.hits = {at("a", "s"), at("b", "s"), at("c", "s")};
  words.milliseconds = 2;
  meaning.hits = {at("c", "s"), at("d", "s")};
  meaning.milliseconds = 3;
  const RankedList fused = reciprocal_rank_fusion({&words, &meaning});
  EXPECT_THAT(ranked_keys(fused.hits, Unit::exchange), ElementsAre("c", "a", "b", "d"));
  EXPECT_DOUBLE_EQ(fused.hits.front().score, 1.0 / 63 + 1.0 / 61);
  EXPECT_DOUBLE_EQ(fused.milliseconds, 5);
}

}  // namespace
}  // namespace memd::bench

#include "store/search/rank/ranking.hpp"
#include "store/search/words/match_scorer.hpp"

#include <gmock/gmock.h>

#include <array>
#include <random>

namespace memd::search {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

FusionCandidate candidate(ExchangeId id, std::int64_t session, std::int64_t number, double coverage = 0,
                          std::uint64_t terms = 0) {
  FusionCandidate c;
  c.id = id;
  c.session = session;
  c.number = number;
  c.features.coverage = coverage;
  c.features.bm25 = coverage;
  c.terms = terms;
  return c;
}

std::vector<ExchangeId> order(std::vector<FusionCandidate> candidates, bool by_meaning = true) {
  rank(candidates, by_meaning);
  std::vector<ExchangeId> ids;
  for (const auto& c : candidates)
    ids.push_back(c.id);
  return ids;
}

TEST(Fusion, ClosenessIsBounded) {
  EXPECT_EQ(closeness(-3), 0);
  EXPECT_EQ(closeness(1), 0);
  EXPECT_EQ(closeness(5), 1);
  EXPECT_EQ(closeness(50), 1.5);
}

TEST(Fusion, RecencyHalvesInNinetyDays) {
  const TimeMs now = 1'770'000'000'000;
  EXPECT_EQ(recency_of(now, now), 1);
  EXPECT_NEAR(recency_of(now - 90 * kMsPerDay, now), 0.5, 1e-9);
  EXPECT_EQ(recency_of(now + kMsPerDay, now), 1) << "a clock that was set back";
  EXPECT_EQ(recency_of(now, 0), 0) << "age was not asked for";
  EXPECT_EQ(recency_of(0, now), 0) << "time unknown";
}

TEST(Fusion, CoverageOfALongTextCountsLess) {
  RankingFeatures brief;
  brief.coverage = 1;
  brief.bm25 = 0.8;
  RankingFeatures rambling = brief;
  rambling.bm25 = 0.2;
  EXPECT_GT(focused_coverage(brief), 1.5 * focused_coverage(rambling));
  EXPECT_EQ(focused_coverage({}), 0);
}

TEST(Fusion, AFullHitScoresOneAndNothingScoresZero) {
  RankingFeatures full;
  full.bm25 = full.coverage = full.adjacency = full.title = full.surroundings = 1;
  EXPECT_NEAR(fused_score(full, false), 1, 1e-9);
  full.dense_z = 10;
  EXPECT_NEAR(fused_score(full, true), 1, 1e-9);
  EXPECT_EQ(fused_score({}, true), 0);
}

// In a long text every word may occur by chance, and the surrounding exchanges say nothing about that.
TEST(Fusion, ATextThatSpeaksForItselfNeedsNoneAround) {
  RankingFeatures f;
  f.bm25 = 0.3;
  RankingFeatures surrounded = f;
  surrounded.coverage = surrounded.neighbour_turns = surrounded.surroundings = 0.9;
  EXPECT_GT(fused_score(surrounded, false), 1.5 * fused_score(f, false));
  f.brevity = surrounded.brevity = 0.5;
  const double half = fused_score(surrounded, false) - fused_score(f, false);
  EXPECT_GT(half, 0);
  f.brevity = surrounded.brevity = 0;
  EXPECT_EQ(fused_score(surrounded, false), fused_score(f, false));
  RankingFeatures brief = f;
  brief.brevity = 1;
  EXPECT_GT(fused_score(f, false), fused_score(brief, false)) << "bm25 is all there is to judge it by";
}

TEST(Fusion, BrevityIsOneUpToSixtyWords) {
  EXPECT_EQ(brevity_of(0), 1);
  EXPECT_EQ(brevity_of(60), 1);
  EXPECT_EQ(brevity_of(120), 0.5);
  EXPECT_EQ(brevity_of(6000), 0.01);
}

TEST(Fusion, MeaningCountsOnlyWhenItWasLookedAt) {
  RankingFeatures f;
  f.bm25 = 0.5;
  f.dense_z = 6;
  RankingFeatures without = f;
  without.dense_z = 0;
  EXPECT_EQ(fused_score(f, false), fused_score(without, false));
  EXPECT_GT(fused_score(f, true), fused_score(without, true));
}

TEST(Fusion, NeighboursOfTheSameSessionLift) {
  std::vector<FusionCandidate> c{candidate(1, 7, 10, 0.4), candidate(2, 7, 11, 0.9), candidate(3, 8, 11, 0.4)};
  add_context(c, {});
  EXPECT_GT(c[0].features.neighbour_turns, 0);
  EXPECT_EQ(c[2].features.neighbour_turns, 0) << "another session";
  EXPECT_THAT(order(c), ElementsAre(2, 1, 3));
}

// The question precedes its answer more often than it follows it.
TEST(Fusion, TheExchangeBeforeSaysMoreThanTheOneBehind) {
  std::vector<FusionCandidate> c{candidate(1, 7, 9), candidate(2, 7, 10, 0.9), candidate(3, 7, 11)};
  add_context(c, {});
  EXPECT_GT(c[2].features.neighbour_turns, c[0].features.neighbour_turns);
  EXPECT_GT(c[0].features.neighbour_turns, 0);
}

TEST(Fusion, SurroundingsAreTheWordsOfTheExchangesAround) {
  const std::vector<double> shares{0.5, 0.3, 0.2};
  std::vector<FusionCandidate> c{candidate(1, 7, 1, 0, 0b001), candidate(2, 7, 1 + kSurroundings, 0, 0b010),
                                 candidate(3, 7, 2 + 2 * kSurroundings, 0, 0b100), candidate(4, 9, 2, 0, 0b100)};
  add_context(c, shares);
  EXPECT_NEAR(c[0].features.surroundings, 0.8, 1e-9);
  EXPECT_NEAR(c[1].features.surroundings, 0.8, 1e-9) << "the third is one too far away";
  EXPECT_NEAR(c[2].features.surroundings, 0.2, 1e-9);
  EXPECT_NEAR(c[3].features.surroundings, 0.2, 1e-9);
}

// Compares with a brute-force implementation, on random sessions with gaps.
TEST(Fusion, ContextIsThatOfABruteForceWalk) {
  std::mt19937 random(5);
  const std::vector<double> shares{0.1, 0.2, 0.3, 0.4};
  for (int round = 0; round < 50; ++round) {
    std::vector<FusionCandidate> c;
    for (int i = 0; i < 80; ++i)
      if (random() % 2 == 0)
        c.push_back(candidate(i, i / 30, i, static_cast<double>(random() % 100) / 100, random() % 16));
    std::shuffle(c.begin(), c.end(), random);
    const auto before = c;
    add_context(c, shares);
    for (std::size_t i = 0; i < c.size(); ++i) {
      std::uint64_t around = 0;
      bool any_near = false;
      for (const auto& other : before) {
        const auto distance = std::abs(other.number - c[i].number);
        if (other.session != c[i].session || distance > kSurroundings) continue;
        around |= other.terms;
        any_near |= distance > 0 && distance <= 2 && other.features.coverage > 0;
      }
      double expected = 0;
      for (std::size_t t = 0; t < shares.size(); ++t)
        if ((around >> t & 1) != 0) expected += shares[t];
      EXPECT_NEAR(c[i].features.surroundings, expected, 1e-9);
      EXPECT_EQ(c[i].features.neighbour_turns > 0, any_near);
      EXPECT_LE(c[i].features.neighbour_turns, 1);
    }
  }
}

TEST(Fusion, EqualScoresNewestFirst) {
  EXPECT_THAT(order({candidate(1, 1, 1, 0.5), candidate(3, 2, 1, 0.5), candidate(2, 3, 1, 0.5)}), ElementsAre(3, 2, 1));
}

Confidence judged(const RankingFeatures& f, const EvidenceWeights& w, bool several = false) {
  return confidence_of(likelihood(evidence(f, w), w, several));
}

TEST(Confidence, WordsIdentifiersAndMeaning) {
  RankingFeatures f;
  EXPECT_EQ(judged(f, kEvidenceByDeviations), Confidence::low);
  f.coverage = f.surroundings = f.bm25 = 1;
  EXPECT_EQ(judged(f, kEvidenceByDeviations), Confidence::high);
  f.coverage = f.surroundings = f.bm25 = 0.7;
  EXPECT_EQ(judged(f, kEvidenceByDeviations), Confidence::medium);
  f.coverage = f.surroundings = f.bm25 = 0.4;
  EXPECT_EQ(judged(f, kEvidenceByDeviations), Confidence::low) << "meaning was looked at and is not near";
  EXPECT_NE(judged(f, kEvidenceByWords), Confidence::low) << "words are all there is";
  f.coverage = f.surroundings = f.bm25 = 0;
  f.dense_z = 5;
  EXPECT_EQ(judged(f, kEvidenceByDeviations), Confidence::low) << "so near is one of very many texts by chance";
  f.surroundings = 0.7;
  EXPECT_EQ(judged(f, kEvidenceByDeviations), Confidence::medium);
  f.brevity = 0.1;
  EXPECT_EQ(judged(f, kEvidenceByDeviations), Confidence::low) << "words around a long text say nothing of it";
  f = {};
  f.identifier = 1;
  for (const EvidenceWeights* w : {&kEvidenceByWords, &kEvidenceByDeviations, &kEvidenceByCosine})
    EXPECT_EQ(judged(f, *w), Confidence::low) << "a name that may be a common command";
}

TEST(Confidence, OfTheModelInMemdByHowNearNotByHowFarItStandsOut) {
  RankingFeatures f;
  f.coverage = f.bm25 = 0.2;
  f.dense_z = 9;
  f.cosine = 0.2;
  EXPECT_EQ(judged(f, kEvidenceByCosine), Confidence::low);
  f.cosine = 0.4;
  EXPECT_EQ(judged(f, kEvidenceByCosine), Confidence::medium);
  f.coverage = f.bm25 = 0;
  f.cosine = 0.7;
  EXPECT_EQ(judged(f, kEvidenceByCosine), Confidence::medium) << "the same in other words";
}

TEST(Confidence, MoreEvidenceIsNeverLessLikely) {
  for (const EvidenceWeights* w : {&kEvidenceByWords, &kEvidenceByDeviations, &kEvidenceByCosine}) {
    double before = 0;
    for (double e = 0; e < 20; e += 0.25) {
      const double now = likelihood(e, *w, false);
      EXPECT_GT(now, before);
      EXPECT_LT(likelihood(e, *w, true), now) << "of several phrasings one fits by chance";
      before = now;
    }
    EXPECT_LT(likelihood(0, *w, false), 0.02);
    EXPECT_GT(before, 0.99);
  }
  EXPECT_EQ(confidence_of(kProbable), Confidence::high);
  EXPECT_EQ(confidence_of(kPossible), Confidence::medium);
  EXPECT_EQ(confidence_of(kPossible - 0.01), Confidence::low);
}

TEST(Confidence, WhatIsEnoughDependsOnWhatWasAsked) {
  EXPECT_EQ(&evidence_weights(""), &kEvidenceByWords);
  EXPECT_EQ(&evidence_weights("builtin/model-1"), &kEvidenceByCosine);
  EXPECT_EQ(&evidence_weights("ollama/nomic-embed-text"), &kEvidenceByDeviations);
  EXPECT_EQ(&answer_weights("builtin/model-1", true, false), &kEvidenceBySecondLook);
  EXPECT_EQ(&answer_weights("builtin/model-1", false, false), &kEvidenceByOneLook);
  EXPECT_EQ(&answer_weights("builtin/model-1", false, true), &kEvidenceBySeveral);
  EXPECT_EQ(&answer_weights("ollama/nomic-embed-text", false, false), &kEvidenceByDeviations);
}

TEST(Confidence, CommonWordsProveLittleEvenWhenAllAreFound) {
  RankingFeatures f;
  f.coverage = f.bm25 = f.soft_coverage = 1;
  f.surprise = 0.3;  // one word that every other text contains
  for (const EvidenceWeights* w : {&kEvidenceBySecondLook, &kEvidenceByOneLook}) {
    EXPECT_NE(judged(f, *w), Confidence::high);
    RankingFeatures rare = f;
    rare.surprise = 30;
    EXPECT_EQ(judged(rare, *w), Confidence::high);
  }
}

TEST(Confidence, TheGapIsWhatTheFirstHasMoreThanThoseAfterTheFirstFive) {
  EXPECT_EQ(gap_of({}), 0);
  EXPECT_EQ(gap_of(std::array{0.8}), 0.8);
  EXPECT_DOUBLE_EQ(gap_of(std::array{0.9, 0.9, 0.9, 0.9, 0.9, 0.5, 0.3}), 0.5);
}

}  // namespace
}  // namespace memd::search

#include "bench/retrieval/ranking_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace memd::bench {
namespace {

using search::RankingWeights;

std::shared_ptr<const CaseDocuments> documents() {
  auto out = std::make_shared<CaseDocuments>();
  for (const ExchangeId id : {1, 2, 3, 4})
    out->emplace(id, CaseDocument{{format_exchange_id(id), id < 3 ? "one" : "two", 0, {}},
                                  static_cast<std::size_t>(id == 4 ? 3 : id)});
  return out;
}

search::FusionCandidate candidate(ExchangeId id, double bm25, double coverage) {
  search::FusionCandidate c;
  c.id = id;
  c.session = id < 3 ? 1 : 2;
  c.number = 100 * id;
  c.features.bm25 = bm25;
  c.features.coverage = coverage;
  return c;
}

RankingCase one_case() {
  RankingCase c{"part", false, {"?", {"train"}, {"x2"}}, {}, {}, documents()};
  c.pool.candidates = {candidate(1, 0.5, 0.1), candidate(2, 0.3, 0.9), candidate(3, 0.2, 0.1), candidate(4, 0.1, 0.1)};
  return c;
}

std::vector<std::string> ids(const CaseAnswer& answer) {
  std::vector<std::string> out;
  for (const Hit& hit : answer.list.hits)
    out.push_back(hit.exchange_id);
  return out;
}

TEST(RankingCases, AnswersByTheWeightsGivenAndShowsATextOnce) {
  const RankingCase c = one_case();
  RankingWeights w;
  w.coverage = 0;
  EXPECT_EQ(ids(answer(c, Unit::exchange, w)), (std::vector<std::string>{"x1", "x2", "x3"})) << "x4 says what x3 says";
  w.coverage = 4;
  const CaseAnswer covered = answer(c, Unit::exchange, w);
  EXPECT_EQ(ids(covered).front(), "x2");
  EXPECT_EQ(covered.features.size(), covered.list.hits.size());
  EXPECT_EQ(c.pool.candidates.front().id, 1) << "the case stays as it was";
}

TEST(RankingFit, StartsWithAllAlikeAndLeavesWhatNoQuestionRewards) {
  RankingWeights w = neutral_ranking_weights();
  for (const auto& c : ranking_coordinates()) {
    EXPECT_EQ(c.of(w), 1) << c.name;
    EXPECT_NE(std::count(c.factors.begin(), c.factors.end(), 1.0), 0) << c.name;
    EXPECT_NE(&c.of(w), &w.title);
    EXPECT_NE(&c.of(w), &w.recency);
    EXPECT_NE(&c.of(w), &w.same_project);
  }
  EXPECT_EQ(w.title, RankingWeights().title);
}

}  // namespace
}  // namespace memd::bench

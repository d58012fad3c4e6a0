#include "store/search/rank/phrasing_fusion.hpp"

#include <gmock/gmock.h>

namespace memd::search {
namespace {

using testing::ElementsAre;

using List = std::vector<FusionCandidate>;

FusionCandidate scored(ExchangeId id, double score, std::int64_t session = 0) {
  FusionCandidate c;
  c.id = id;
  c.session = session != 0 ? session : id;
  c.score = score;
  c.features.coverage = score;
  return c;
}

std::vector<ExchangeId> ids_of(const List& list) {
  std::vector<ExchangeId> out;
  for (const FusionCandidate& c : list)
    out.push_back(c.id);
  return out;
}

TEST(PhrasingFusion, WhatPhrasingsAgreeOnComesFirst) {
  const std::vector<List> lists{
      {scored(1, 0.30), scored(2, 0.25)}, {scored(3, 0.35), scored(2, 0.30)}, {scored(4, 0.35), scored(2, 0.30)}};
  const List fused = fuse(lists);
  EXPECT_EQ(ids_of(fused).front(), 2);
  EXPECT_EQ(fused.front().found_by, 0b111U);
  EXPECT_EQ(fused.front().phrasing, 1U) << "the first of those that speak for it most";
  EXPECT_EQ(fused.front().features.coverage, 0.30) << "whose features are shown";
}

TEST(PhrasingFusion, AStrongFirstPhrasingStaysFirst) {
  const std::vector<List> lists{{scored(1, 0.9), scored(2, 0.3)}, {scored(2, 0.4), scored(3, 0.4)}, {scored(3, 0.4)}};
  EXPECT_EQ(ids_of(fuse(lists)).front(), 1);
}

TEST(PhrasingFusion, APhrasingWhoseWordsNobodyHasChangesNothing) {
  const List first{scored(1, 0.5), scored(2, 0.4), scored(3, 0.1)};
  EXPECT_THAT(ids_of(fuse(std::vector<List>{first, {}, {scored(3, 0.02)}})), ElementsAre(1, 2, 3));
}

TEST(PhrasingFusion, NamesThePhrasingsThatRankAHitHigh) {
  List many;
  for (ExchangeId id = 1; id <= 20; ++id)
    many.push_back(scored(id, 1.0 / static_cast<double>(id)));
  const List fused = fuse(std::vector<List>{many, {scored(20, 0.9)}});
  for (const FusionCandidate& c : fused)
    EXPECT_EQ(c.found_by, c.id == 20 ? 0b10U : 0b01U) << c.id;
}

TEST(PhrasingFusion, OneListKeepsItsOrder) {
  const List only{scored(5, 0.5), scored(9, 0.4), scored(1, 0.4)};
  EXPECT_EQ(ids_of(fuse(std::vector<List>{only})), ids_of(only));
  EXPECT_TRUE(fuse({}).empty());
}

}  // namespace
}  // namespace memd::search

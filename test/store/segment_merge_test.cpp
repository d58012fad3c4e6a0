#include "store/search/words/full_text_index.hpp"

#include "store/search/words/candidate_filter.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

namespace memd::search {
namespace {

class SegmentMerge : public testing::Test {
 protected:
  // Adds each exchange in its own transaction, as ingest does for agents' turns.
  void add_exchanges(int count) {
    for (int i = 0; i < count; ++i)
      store_.exchange(session_, {.user = "common word" + std::to_string(i), .answer = "nothing rare"});
  }
  std::size_t segments() {
    FullTextIndex index(store_.db(), "exchanges_fts");
    index.refresh();
    return index.segments();
  }
  std::int64_t count(std::string_view word) {
    FullTextIndex index(store_.db(), "exchanges_fts");
    index.refresh();
    return index.count(word);
  }

  test::StoreFixture store_;
  std::int64_t session_ = store_.session({.native_id = "aaaa1"});
};

TEST_F(SegmentMerge, FewAreLeftAndHoldTheSame) {
  store_.db().exec("INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('automerge', 0)");
  add_exchanges(255);
  ASSERT_GT(segments(), 6U);
  int steps = 0;
  while (merge_segments(store_.db()))
    ASSERT_LT(++steps, 1000) << "does not come to an end";
  EXPECT_LE(segments(), 6U);
  EXPECT_EQ(count("common"), 255);
  EXPECT_EQ(count("word254"), 1);
  EXPECT_FALSE(merge_segments(store_.db())) << "there is nothing left to do";
}

TEST_F(SegmentMerge, FewAreLeftAsTheyAre) {
  add_exchanges(3);
  const std::size_t before = segments();
  EXPECT_FALSE(merge_segments(store_.db()));
  EXPECT_EQ(segments(), before);
}

// A cursor's page is cached only while the segments are unchanged.
TEST_F(SegmentMerge, AnIndexThatLookedBeforeFindsWhatCameSince) {
  FullTextIndex index(store_.db(), "exchanges_fts");
  index.refresh();
  EXPECT_FALSE(index.contains("common"));
  add_exchanges(40);
  index.refresh();
  EXPECT_EQ(index.count("common"), 40);
  while (merge_segments(store_.db())) {
  }
  add_exchanges(1);
  index.refresh();
  EXPECT_EQ(index.count("common"), 41);
}

TEST_F(SegmentMerge, PlacesAreOfTheQuestion) {
  const auto id = store_.exchange(session_, {.user = "where", .time = 5000});
  ExchangePlaces places(store_.db());
  ASSERT_NE(places.find(id), nullptr);
  EXPECT_EQ(places.find(id)->session, session_);
  EXPECT_EQ(places.find(id)->number, 0);
  EXPECT_EQ(places.find(id)->started_at, 5000);
  EXPECT_NE(places.find(id)->content_hash, 0);
  EXPECT_EQ(places.find(id + 1), nullptr);
  const auto later = store_.exchange(session_, {.user = "there"});
  EXPECT_EQ(places.find(later), nullptr) << "one question sees one state";
  places.forget();
  EXPECT_EQ(places.find(later)->number, 1);
}

TEST_F(SegmentMerge, PlacesAreReadFromTheirIndexAlone) {
  auto& q = store_.db().prepare(
      "EXPLAIN QUERY PLAN SELECT session_pk, exchange_number, started_at, content_hash FROM exchanges"
      " INDEXED BY exchanges_by_pk WHERE exchange_pk = 1");
  ASSERT_TRUE(q.step());
  EXPECT_NE(q.text(3).find("COVERING INDEX"), std::string_view::npos) << q.text(3);
  q.reset();
}

}  // namespace
}  // namespace memd::search

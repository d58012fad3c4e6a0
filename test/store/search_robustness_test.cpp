#include "schemas/base/error.hpp"
#include "schemas/search.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <random>

namespace memd {
namespace {

class SearchRobustness : public testing::Test {
 protected:
  void ask(std::string_view text) {
    SearchQuery q;
    q.asked = search::parse_query(text);
    const auto r = reader_.search(q);
    EXPECT_TRUE(r) << r.error().message() << " for " << text;
  }

  test::StoreFixture store_;
  Reader reader_{store_.file()};
};

// Any input is a valid query, never a syntax error.
TEST_F(SearchRobustness, NoInputIsAnError) {
  const auto s = store_.session({.native_id = "aaaa1"});
  store_.exchange(s, {.user = "alpha AND beta OR NEAR gamma", .answer = "path: tool: 🎉"});
  for (const char* text : {"\"",
                           "\"\"\"",
                           "AND",
                           "OR NOT",
                           "NEAR(alpha beta, 3)",
                           "alpha*",
                           "^alpha",
                           "{user_message}: x",
                           "user_message : alpha",
                           "alpha AND",
                           "(alpha",
                           "alpha)",
                           "-",
                           "--",
                           "-\"",
                           "+alpha",
                           "a:b:\"c",
                           "path:\"",
                           "since:",
                           "until:2026-99-99",
                           "'; DROP TABLE exchanges; --"})
    ask(text);
  std::mt19937 random(17);
  constexpr std::string_view kPieces = "\"-:*^(){}+ \n\\'/._aAORNDé🎉\0\xFF\xC3";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n)
      text += round % 2 != 0 ? static_cast<char>(random()) : kPieces[random() % kPieces.size()];
    if (round % 10 == 0) text += " alpha";
    ask(text);
  }
  ask(std::string(100'000, 'a'));
  std::string words;
  while (words.size() < 100'000)
    words += "alpha" + std::to_string(words.size()) + " \"beta ";
  ask(words);
}

// One damaged row of an index must not fail a search.
TEST_F(SearchRobustness, AnEntryWithoutItsExchangeIsLeftOutAndCounted) {
  const auto s = store_.session({.native_id = "aaaa1"});
  const auto orphaned = store_.session({.native_id = "aaaa2"});
  for (int i = 0; i < 260; ++i)
    store_.exchange(s, {.user = "needle needle needle " + std::to_string(i)});
  store_.exchange(orphaned, {.user = "needle of a session that went"});
  store_.db().exec("PRAGMA foreign_keys = OFF");
  store_.db().exec("DELETE FROM sessions WHERE native_id = 'aaaa2'");
  store_.db().exec(
      "INSERT INTO exchanges_fts (rowid, user_message, interventions, assistant_response, tool_text)"
      " VALUES (100000, 'a needle in so many words that it comes last of all, hay and hay and hay', '', '', ''),"
      "        (100001, 'needle needle needle', '', '', '')");
  SearchQuery q;
  q.asked = search::parse_query("needle");
  q.limit = 300;
  const auto found = reader_.search(q);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->hits.size(), 260U);
  EXPECT_EQ(found->left_out, 3);
}

// A query of minutes is cancelled at once: the stop token is checked while a statement runs.
TEST_F(SearchRobustness, CancellationStopsARunningStatement) {
  std::stop_source stop;
  stop.request_stop();
  store_.db().watch(stop.get_token());
  const auto r = sqlite::guard([&] {
    store_.db()
        .prepare(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000000000)"
            " SELECT count(*) FROM n")
        .step();
  });
  ASSERT_FALSE(r);
  EXPECT_TRUE(r.error().is(Errc::cancelled));
}

TEST_F(SearchRobustness, ACancelledReaderIsUsableAgain) {
  sqlite::Transaction tx(store_.db());
  const auto s = store_.session({.native_id = "aaaa1"});
  for (int i = 0; i < 3000; ++i)
    store_.exchange(s, {.user = "needle " + std::to_string(i)});
  tx.commit();
  SearchQuery q;
  q.asked = search::parse_query("needle");
  ASSERT_TRUE(reader_.search(q));

  std::stop_source stop;
  reader_.watch(stop.get_token());
  ASSERT_TRUE(reader_.search(q)) << "a token not triggered stops nothing";
  stop.request_stop();
  const auto r = reader_.search(q);
  ASSERT_FALSE(r);
  EXPECT_TRUE(r.error().is(Errc::cancelled));
  reader_.watch({});
  EXPECT_TRUE(reader_.search(q)) << "the reader is as good as before";
}

}  // namespace
}  // namespace memd

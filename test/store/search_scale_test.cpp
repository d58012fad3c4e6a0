#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/marked_matches.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace memd {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kExchanges = 20'000;
constexpr TimeMs kFirstDay = 1'770'000'000'000;

// A store large enough for the strategies of large stores: words too common to walk their posting lists, and filters
// that are tested per exchange instead of listed. Exchange i (from 1, one minute apart) contains "seventh" if i is a
// multiple of 7, "fifth" and "half" likewise, and belongs to Cursor if i is even.
class LargeStore : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    store_ = new test::StoreFixture;
    sqlite::Transaction tx(store_->db());
    store_->session({.native_id = "odd", .start = kFirstDay});
    store_->session({.native_id = "even", .platform = Platform::cursor, .start = kFirstDay});
    store_->db()
        .prepare(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"
            " INSERT INTO exchanges (exchange_pk, session_pk, exchange_number, first_seq, last_seq, started_at,"
            " ended_at, user_message, content_hash, ingested_at)"
            " SELECT i, 2 - i % 2, i / 2, 0, -1, ?2 + i * 60000, ?2 + i * 60000, 'number ' || i || iif(i % 7, '',"
            " ' seventh') || iif(i % 5, '', ' fifth') || iif(i % 2, '', ' half'), i, 1 FROM n")
        .bind(kExchanges, kFirstDay)
        .run();
    store_->db().exec("INSERT INTO exchanges_fts (exchanges_fts) VALUES ('rebuild')");
    store_->db().exec(
        "UPDATE sessions SET next_exchange = 10001,"
        " ended_at = (SELECT max(ended_at) FROM exchanges x WHERE x.session_pk = sessions.session_pk)");
    tx.commit();
  }
  static void TearDownTestSuite() {
    delete store_;
    store_ = nullptr;
  }

  SearchAnswer ask(std::string_view text, QueryFilter filter = {}) {
    SearchQuery q;
    q.asked = search::parse_query(text);
    q.filter = std::move(filter);
    q.limit = 500;
    return reader_.search(q).value();
  }

  static test::StoreFixture* store_;
  Reader reader_{store_->file()};
};

test::StoreFixture* LargeStore::store_ = nullptr;

TEST_F(LargeStore, RarerWordFindsAndCommonerWordRanks) {
  const auto answer = ask("fifth seventh");
  ASSERT_EQ(answer.hits.size(), 500u);
  for (const auto& hit : answer.hits)
    EXPECT_EQ(hit.id % 35, 0) << hit.user_message << ": there are 571 with both";
  EXPECT_TRUE(answer.more);
}

TEST_F(LargeStore, WordInHalfOfAllFindsAloneAndRanksBesidesARarerOne) {
  const auto alone = ask("half");
  ASSERT_EQ(alone.hits.size(), 500u);
  for (const auto& hit : alone.hits)
    EXPECT_EQ(hit.id % 2, 0);
  const auto answer = ask("half seventh");
  ASSERT_EQ(answer.hits.size(), 500u);
  for (const auto& hit : answer.hits)
    EXPECT_EQ(hit.id % 14, 0) << hit.user_message << ": there are 1428 with both";
  EXPECT_THAT(answer.ignored_terms, IsEmpty());
}

TEST_F(LargeStore, NothingButCommonWordsIsSearchedWhole) {
  const auto answer = ask("number half");
  ASSERT_EQ(answer.hits.size(), 500u);
  for (const auto& hit : answer.hits)
    EXPECT_EQ(hit.id % 2, 0);
}

TEST_F(LargeStore, FiltersThatMostPass) {
  const TimeMs noon = kFirstDay + 10'000 * 60'000;
  const auto answer = ask("seventh", {.platforms = {Platform::claude_code}, .since = noon});
  ASSERT_EQ(answer.hits.size(), 500u);
  for (const auto& hit : answer.hits) {
    EXPECT_EQ(hit.platform, Platform::claude_code);
    EXPECT_GE(hit.started_at, noon);
  }
  const auto old = ask("half", {.until = kFirstDay + 300 * 60'000});
  EXPECT_EQ(old.hits.size(), 149u) << "a filter is stronger than the liking for new ones";
}

TEST_F(LargeStore, FilterThatFewPass) {
  const auto answer = ask("seventh", {.since = kFirstDay + 700 * 60'000, .until = kFirstDay + 770 * 60'000});
  EXPECT_EQ(answer.hits.size(), 10u);
  EXPECT_FALSE(answer.more);
}

TEST_F(LargeStore, OnePhraseAmongMany) {
  const auto answer = ask("\"number 14000\" fifth");
  ASSERT_EQ(answer.hits.size(), 1u);
  EXPECT_EQ(answer.hits[0].id, 14'000);
  EXPECT_THAT(test::marked(answer.hits[0]), HasSubstr("«number» «14000»"));
}

}  // namespace
}  // namespace memd

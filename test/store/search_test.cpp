#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/marked_matches.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

namespace memd {
namespace {

using test::StoreFixture;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Search : public testing::Test {
 protected:
  SearchAnswer ask(std::string_view text, QueryFilter filter = {}, int limit = 20, int offset = 0) {
    SearchQuery q;
    q.asked = search::parse_query(text);
    q.filter = std::move(filter);
    q.limit = limit;
    q.offset = offset;
    auto r = reader_.search(q);
    EXPECT_TRUE(r) << (r ? "" : r.error().message()) << " for " << text;
    return r ? std::move(*r) : SearchAnswer{};
  }
  std::vector<ExchangeId> ids(std::string_view text, QueryFilter filter = {}) {
    std::vector<ExchangeId> out;
    for (const auto& hit : ask(text, std::move(filter)).hits)
      out.push_back(hit.id);
    return out;
  }

  StoreFixture store_;
  Reader reader_{store_.file()};
};

TEST_F(Search, CoverageThenLengthDecideWhereverTheWordsStand) {
  const auto s = store_.session({.native_id = "aaaa1", .title = "Sockets"});
  const auto tool = store_.exchange(s, {.user = "unrelated", .answer = "nothing", .tools = "epoll timeout"});
  const auto one = store_.exchange(s, {.user = "epoll is what", .answer = "a call"});
  const auto both = store_.exchange(s, {.user = "why does the epoll timeout fire", .answer = "because"});
  EXPECT_THAT(ids("epoll timeout"), ElementsAre(tool, both, one));
}

TEST_F(Search, NeighboursBeatScatteredWords) {
  const auto s = store_.session({.native_id = "aaaa1"});
  const auto apart = store_.exchange(s, {.user = "pool of workers, each a thread", .answer = "x"});
  const auto together = store_.exchange(s, {.user = "each of workers, a thread pool", .answer = "y"});
  EXPECT_THAT(ids("thread pool"), ElementsAre(together, apart));
}

TEST_F(Search, SessionTitleCounts) {
  const auto other = store_.session({.native_id = "aaaa1", .title = "Cooking"});
  const auto named = store_.session({.native_id = "aaaa2", .title = "The migration of the billing tables"});
  const auto good = store_.exchange(named, {.user = "start the migration now", .answer = "done"});
  const auto same = store_.exchange(other, {.user = "start the migration now", .answer = "gone"});
  EXPECT_THAT(ids("migration"), ElementsAre(good, same));
}

TEST_F(Search, ScoresAreSharesInOrder) {
  const auto s = store_.session({.native_id = "aaaa1"});
  for (int i = 0; i < 30; ++i)
    store_.exchange(s, {.user = "retry " + std::string(i % 3 == 0 ? "backoff " : "") + std::to_string(i),
                        .answer = std::string(static_cast<std::size_t>(i) * 20, 'x')});
  const auto answer = ask("retry backoff jitter");
  ASSERT_EQ(answer.hits.size(), 20u);
  for (std::size_t i = 0; i < answer.hits.size(); ++i) {
    EXPECT_GT(answer.hits[i].relevance_score, 0);
    EXPECT_LE(answer.hits[i].relevance_score, 1);
    EXPECT_LE(answer.hits[i].relevance_score, answer.hits[i > 0 ? i - 1 : 0].relevance_score);
  }
  EXPECT_THAT(answer.ignored_terms, ElementsAre("jitter")) << "occurs nowhere";
  EXPECT_LT(answer.hits[0].relevance_score, ask("retry backoff").hits[0].relevance_score)
      << "a word that is missing costs, so that scores compare between queries";
}

TEST_F(Search, PhraseAndExclusion) {
  const auto s = store_.session({.native_id = "aaaa1"});
  const auto phrase = store_.exchange(s, {.user = "the broken pipe error", .answer = "a"});
  const auto words = store_.exchange(s, {.user = "a pipe that is broken", .answer = "b"});
  EXPECT_THAT(ids("\"broken pipe\""), ElementsAre(phrase));
  EXPECT_THAT(ids("pipe -error"), ElementsAre(words));
  EXPECT_THAT(ask("\"broken pipe\" -error").dropped, ElementsAre("-error")) << "it leaves nothing";
  EXPECT_THAT(ids("\"broken hose\""), IsEmpty()) << "what is in quotes has to be there";
}

TEST_F(Search, IdentifiersAreCutLikeTheIndex) {
  const auto s = store_.session({.native_id = "aaaa1"});
  const auto id = store_.exchange(s, {.user = "see src/foo_bar.cpp:12", .answer = "Überschrift"});
  EXPECT_THAT(ids("foo_bar.cpp"), ElementsAre(id));
  EXPECT_THAT(ids("FOO"), ElementsAre(id));
  EXPECT_THAT(ids("uberschrift"), ElementsAre(id));
}

TEST_F(Search, CommonWordsFindNothingBesidesRarerOnes) {
  const auto s = store_.session({.native_id = "aaaa1"});
  for (int i = 0; i < 300; ++i)
    store_.exchange(s, {.user = "module number " + std::to_string(i), .answer = "ok"});
  const auto rare = store_.exchange(s, {.user = "the flux capacitor", .answer = "ok"});
  const auto answer = ask("the flux in the module");
  ASSERT_EQ(answer.hits.size(), 1u);
  EXPECT_EQ(answer.hits[0].id, rare);
  EXPECT_THAT(answer.ignored_terms, ElementsAre("the", "in", "module"));
  EXPECT_EQ(ask("module").hits.size(), 20u) << "alone it is all there is";
}

TEST_F(Search, FiltersFromBothSides) {
  const auto app = store_.session({.native_id = "aaaa1", .project = "/home/u/App"});
  const auto web = store_.session({.native_id = "bbbb1", .platform = Platform::cursor, .project = "/home/u/web"});
  const auto agent = store_.session({.native_id = "cccc1",
                                     .project = "/home/u/App",
                                     .kind = SessionKind::subagent,
                                     .parent_uid = "claude_code:aaaa1"});
  const TimeMs day = *parse_rfc3339("2026-02-09");
  const auto in_app = store_.exchange(app, {.user = "needle one", .files = {"/home/u/App/Src/Main.cpp"}, .time = day});
  store_.event(app, EventKind::tool_call, "Bash", "ls");
  const auto in_web = store_.exchange(web, {.user = "needle two", .time = day + kMsPerDay});
  const auto in_agent = store_.exchange(agent, {.user = "needle three", .time = day + 2 * kMsPerDay});
  store_.event(agent, EventKind::tool_call, "mcp__db__query", "select");

  EXPECT_THAT(ids("needle platform:cursor"), ElementsAre(in_web));
  EXPECT_THAT(ids("needle", {.platforms = {Platform::cursor}}), ElementsAre(in_web));
  EXPECT_THAT(ask("needle platform:cursor", {.platforms = {Platform::claude_code}}).dropped,
              ElementsAre("platform:cursor"));
  EXPECT_THAT(ids("needle", {.project = "app", .include_subagents = false}), ElementsAre(in_app));
  EXPECT_THAT(ids("needle project:WEB"), ElementsAre(in_web));
  EXPECT_THAT(ids("needle", {.session = "cccc"}), ElementsAre(in_agent));
  EXPECT_THAT(ids("needle", {.since = day + 1, .until = day + 2 * kMsPerDay}), ElementsAre(in_web));
  EXPECT_THAT(ids("needle since:2026-02-09 until:2026-02-09"), ElementsAre(in_app));
  EXPECT_THAT(ids("needle path:src/main"), ElementsAre(in_app));
  EXPECT_THAT(ask("needle path:main path:lost").dropped, ElementsAre("path:main", "path:lost"));
  EXPECT_THAT(ids("needle tool:bash"), ElementsAre(in_app));
  EXPECT_THAT(ids("needle tool:mcp__db"), ElementsAre(in_agent));
  EXPECT_THAT(ids("since:2026-02-10"), ElementsAre(in_agent, in_web)) << "filters alone: newest first";
  EXPECT_THAT(ids("since:2026-02-10 -three"), ElementsAre(in_web));
}

TEST_F(Search, UnknownSessionIsAnError) {
  const auto s = store_.session({.native_id = "aaaa1"});
  store_.exchange(s, {.user = "needle"});
  SearchQuery q;
  q.asked = search::parse_query("needle");
  q.filter.session = "zzzz9";
  const auto r = reader_.search(q);
  ASSERT_FALSE(r);
  EXPECT_TRUE(r.error().is(Errc::not_found));
  EXPECT_THAT(r.error().message(), HasSubstr("claude_code:aaaa1"));
}

TEST_F(Search, CopiesAreOneHit) {
  const auto a = store_.session({.native_id = "aaaa1"});
  const auto b = store_.session({.native_id = "bbbb1"});
  store_.exchange(a, {.user = "same needle", .answer = "same"});
  store_.exchange(b, {.user = "same needle", .answer = "same"});
  store_.exchange(b, {.user = "same needle", .answer = "different"});
  EXPECT_EQ(ask("needle").hits.size(), 2u);
}

// Pages continue after the re-ranked exchanges, duplicates included.
TEST_F(Search, PagingGivesEachHitOnce) {
  std::mt19937 random(5);
  sqlite::Transaction tx(store_.db());
  std::set<std::string> different;
  for (int s = 0; s < 10; ++s) {
    const auto session = store_.session({.native_id = "session" + std::to_string(s), .title = s % 3 ? "" : "needle"});
    for (int i = 0; i < 60; ++i) {
      const auto text = "needle " + std::to_string(random() % 400) + std::string(random() % 9 * 6, '.') +
                        (random() % 2 ? " haystack" : "");
      store_.exchange(session, {.user = text});
      different.insert(text);
    }
  }
  tx.commit();
  std::set<std::string> seen;
  std::size_t hits = 0;
  double last = 1;
  bool more = true;
  for (int offset = 0; more; offset += 7) {
    const auto page = ask("needle haystack", {}, 7, offset);
    for (const auto& hit : page.hits) {
      seen.insert(hit.user_message);
      ++hits;
      EXPECT_LE(hit.relevance_score, last);
      last = hit.relevance_score;
    }
    more = page.more;
    ASSERT_TRUE(!more || page.hits.size() == 7u);
  }
  EXPECT_EQ(hits, different.size());
  EXPECT_EQ(seen, different);
}

TEST_F(Search, LoadsOnlyTheFirstHitsIfAsked) {
  const auto s = store_.session({.native_id = "aaaa1"});
  for (int i = 0; i < 5; ++i)
    store_.exchange(s, {.user = "retry " + std::to_string(i), .answer = "x"});
  SearchQuery query;
  query.asked = search::parse_query("retry");
  query.limit = 5;
  for (const int most : {0, 2, 5, 9}) {
    query.load_at_most = most;
    const auto answer = reader_.search(query);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->hits.size(), static_cast<std::size_t>(std::min(most, 5)));
    EXPECT_EQ(answer->more, most < 5);
  }
}

TEST_F(Search, SnippetShowsTheBestPassage) {
  const auto s = store_.session({.native_id = "aaaa1"});
  std::string answer;
  for (int i = 0; i < 200; ++i)
    answer += "filler número ";
  answer += "\n\n  the Deadlocks \t came from the mutex ";
  for (int i = 0; i < 200; ++i)
    answer += "ümläüt ";
  store_.exchange(s, {.user = "a mutex question", .answer = answer});
  const auto hit = ask("deadlock mutex").hits.at(0);
  EXPECT_THAT(hit.snippet, HasSubstr("the Deadlocks came from the mutex"));
  EXPECT_THAT(test::marked(hit), HasSubstr("the «Deadlocks» came from the «mutex»"));
  EXPECT_LE(hit.snippet.size(), 300u);
  EXPECT_TRUE(hit.snippet.starts_with("…")) << hit.snippet;
  EXPECT_TRUE(hit.snippet.ends_with("…")) << hit.snippet;
  const auto cut = ask("ümläüt").hits.at(0).snippet;
  EXPECT_EQ(cut.find("\xC3\xE2"), std::string::npos) << "cut inside of a character: " << cut;
}

TEST_F(Search, FinalAnswerOnly) {
  const auto s = store_.session({.native_id = "aaaa1"});
  const auto id = store_.exchange(s, {.user = "needle", .answer = "on the way. The end."});
  store_.db().prepare("UPDATE exchanges SET answer_offset = 12 WHERE exchange_pk = ?").bind(id).run();
  const auto hit = ask("needle").hits.at(0);
  EXPECT_EQ(hit.assistant_response, "The end.");
  EXPECT_EQ(hit.text_bytes, 26);
}

TEST_F(Search, NothingTypedNothingFound) {
  const auto s = store_.session({.native_id = "aaaa1"});
  store_.exchange(s, {.user = "needle"});
  EXPECT_THAT(ids(""), IsEmpty());
  EXPECT_THAT(ids("   \n\t"), IsEmpty());
  const auto odd = ask("🎉 nowhere");
  EXPECT_THAT(odd.hits, IsEmpty());
  EXPECT_THAT(odd.ignored_terms, ElementsAre("🎉", "nowhere"));
}

}  // namespace
}  // namespace memd

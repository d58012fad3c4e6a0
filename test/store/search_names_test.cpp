#include "schemas/base/time.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/search/words/lexical_search.hpp"
#include "store/text/code_names.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <random>
#include <span>

namespace memd::search {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class LexicalNames : public testing::Test {
 protected:
  // Stores names as the background worker does.
  void enrich() {
    for (const auto& e : PendingEnrichmentQuery{kMissingTerms, 1000}.run(store_.db())) {
      Enrichment made{e.id, e.revision, ExchangeTerms{enrichment::extract_identifiers(e), {}}, std::nullopt};
      enrichment::save(store_.db(), std::span(&made, 1));
    }
  }
  ExchangeId add(std::int64_t session, const test::ExchangeTexts& texts) {
    const ExchangeId id = store_.exchange(session, texts);
    enrichment::enqueue(store_.db(), id);
    return id;
  }
  std::vector<LexicalCandidate> candidates(std::string_view text, TimeMs now = 0) {
    SearchQuery query;
    query.now = now;
    query.asked = parse_query(text, now);
    lengths_.emplace(&shared_);
    question_ = search_.understand(query, *lengths_);
    CandidateFilter filter(store_.db(), search_.places(), query.filter, question_.typed);
    return search_.candidates(question_, filter, 100).best;
  }
  std::vector<ExchangeId> ids(std::string_view text) {
    std::vector<ExchangeId> out;
    for (const auto& c : candidates(text))
      out.push_back(c.id);
    return out;
  }

  DocumentLengths shared_;
  test::StoreFixture store_;
  std::optional<QueryLengths> lengths_;
  LexicalSearch search_{store_.db()};
  LexicalQuestion question_;
  std::int64_t session_ = store_.session({.native_id = "aaaa1"});
};

TEST_F(LexicalNames, OneNameInAllSpellings) {
  const auto camel = add(session_, {.user = "call parseConfig first"});
  const auto snake = add(session_, {.user = "call parse_config first"});
  const auto words = add(session_, {.user = "please parse config files"});
  const auto other = add(session_, {.user = "a config is there to parse"});
  for (const char* spelling : {"parseConfig", "parse_config", "parse config", "ParseConfig", "parse-config"}) {
    const auto found = candidates(spelling);
    std::vector<ExchangeId> exact;
    for (const auto& c : found)
      if (c.features.identifier == 1) exact.push_back(c.id);
    EXPECT_THAT(exact, UnorderedElementsAre(camel, snake, words)) << spelling;
  }
  EXPECT_THAT(ids("parse_config"), Contains(other));
  EXPECT_THAT(ids("\"parseConfig\""), UnorderedElementsAre(camel, snake, words));
}

TEST_F(LexicalNames, PartsOfNamesFindThem) {
  const auto loader = add(session_, {.user = "x", .tools = "Edit src/ConfigLoaderFactory.java"});
  add(session_, {.user = "something else"});
  EXPECT_THAT(ids("loader"), IsEmpty()) << "not looked at yet";
  enrich();
  EXPECT_THAT(ids("loader"), ElementsAre(loader));
  EXPECT_THAT(ids("factory of the loader"), ElementsAre(loader));

  store_.db().exec(
      "INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response,"
      " tool_text) SELECT 'delete', exchange_pk, user_message, '', '', tool_text FROM exchanges");
  enrichment::prune_identifiers(store_.db());
  auto& left = store_.db().prepare("SELECT count(*) FROM identifier_parts");
  ASSERT_TRUE(left.step());
  EXPECT_EQ(left.int64(0), 0);
  left.reset();
}

TEST_F(LexicalNames, CodesAndPathsAreNames) {
  const auto code = add(session_, {.user = "rustc says E0308 here", .answer = "exit code 137, HTTP 404"});
  const auto path = add(session_, {.user = "look at store/search/words/query_plan.cpp"});
  const auto apart = add(session_, {.user = "137 things exit the code; plan a query in cpp"});
  EXPECT_EQ(candidates("E0308").at(0).features.identifier, 1);
  EXPECT_EQ(candidates("exit code 137").at(0).id, code);
  EXPECT_EQ(candidates("HTTP404").at(0).id, code);
  for (const char* spelling :
       {"query_plan.cpp", "search/query_plan.cpp", "/home/me/store/search/words/query_plan.cpp", "QueryPlan"}) {
    const auto found = candidates(spelling);
    ASSERT_FALSE(found.empty()) << spelling;
    EXPECT_EQ(found[0].id, path) << spelling;
    EXPECT_EQ(found[0].features.identifier, 1) << spelling;
    for (const auto& c : found)
      if (c.id == apart) {
        EXPECT_EQ(c.features.identifier, 0) << spelling;
      }
  }
}

TEST_F(LexicalNames, SlipsOfTheFingers) {
  const auto id = add(session_, {.user = "the configuration of the scheduler"});
  for (const char* typed : {"configuraton", "confguration", "configuratoin", "schedulwr"}) {
    const auto found = candidates(typed);
    ASSERT_EQ(found.size(), 1u) << typed;
    EXPECT_EQ(found[0].id, id);
    EXPECT_LT(found[0].features.coverage, 1) << "a guess is no find";
    ASSERT_EQ(question_.plan.corrected.size(), 1u);
    EXPECT_EQ(question_.plan.corrected[0].typed, typed);
  }
  EXPECT_THAT(ids("zzzzzzz"), IsEmpty());
  EXPECT_THAT(question_.plan.ignored, ElementsAre("zzzzzzz"));
}

TEST_F(LexicalNames, TitleAloneFindsTheSession) {
  const auto named = store_.session({.native_id = "bbbb1", .title = "Migration of the billing tables"});
  const auto first = add(named, {.user = "start", .answer = "done"});
  add(named, {.user = "go on", .answer = "done, too"});
  add(session_, {.user = "a table"});
  EXPECT_THAT(ids("billing migration"), ElementsAre(first));
  EXPECT_EQ(candidates("billing migration")[0].features.title, 1);
  store_.db().exec("UPDATE sessions SET title = 'Cooking' WHERE native_id = 'bbbb1'");
  EXPECT_THAT(ids("billing migration"), IsEmpty());
  EXPECT_THAT(ids("cooking"), ElementsAre(first));
  EXPECT_THAT(ids("cooking -start"), IsEmpty());
}

TEST_F(LexicalNames, TimeIsAPreference) {
  const TimeMs now = *parse_rfc3339("2026-02-11T12:00:00Z");
  const auto then = add(session_, {.user = "a parser crash", .time = *parse_rfc3339("2026-02-04")});
  const auto old = add(session_, {.user = "parser crash", .time = *parse_rfc3339("2025-06-01")});
  const auto found = candidates("parser crash last week", now);
  ASSERT_EQ(found.size(), 2u) << "it is no filter";
  EXPECT_EQ(found[0].id, then);
  EXPECT_EQ(found[0].features.date, 1);
  EXPECT_EQ(found[1].id, old);
  EXPECT_LT(found[1].features.date, 0.01);
}

TEST_F(LexicalNames, ToolsAreKnownByExchange) {
  const auto bash = add(session_, {.user = "one"});
  store_.event(session_, EventKind::tool_call, "Bash", "ls");
  const auto other = store_.session({.native_id = "bbbb1"});
  const auto rare = add(other, {.user = "two"});
  store_.event(other, EventKind::tool_call, "mcp__db__query", "select");
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(ids("tool:bash"), ElementsAre(bash));
    EXPECT_THAT(ids("tool:db"), ElementsAre(rare));
    EXPECT_THAT(ids("tool:nothing"), IsEmpty());
    enrich();  // the results are the same before and after enrichment
  }
}

// Compares the search, which skips documents that cannot rank, with a scan of every word of every text.
TEST_F(LexicalNames, BestIsTheBestOfAll) {
  std::mt19937 random(31);
  std::geometric_distribution<int> rank(0.03);
  const auto word = [&] { return "w" + std::to_string(rank(random)); };
  {
    sqlite::Transaction tx(store_.db());
    for (int i = 0; i < 1500; ++i) {
      std::string text;
      for (auto n = 1 + random() % 40; n > 0; --n)
        text += word() + " ";
      store_.exchange(session_, {.user = text, .answer = random() % 2 ? word() : ""});
    }
    tx.commit();
  }
  std::vector<ExchangeId> all;
  for (ExchangeId id = 1; id <= 1500; ++id)
    all.push_back(id);
  for (int round = 0; round < 40; ++round) {
    std::string text;
    for (auto n = 1 + random() % 6; n > 0; --n)
      text += word() + (random() % 8 == 0 ? " -" : " ");
    SearchQuery query;
    query.asked = parse_query(text);
    QueryLengths lengths(round % 2 == 0 ? &shared_ : nullptr);
    const auto question = search_.understand(query, lengths);
    CandidateFilter filter(store_.db(), search_.places(), query.filter, question.typed);
    const auto best = search_.candidates(question, filter, 250).best;
    std::vector<ExchangeId> also;
    for (int i = 0; i < 20; ++i)
      also.push_back(static_cast<ExchangeId>(1 + random() % 300));
    const auto [first, scored] = search_.candidates(question, filter, 10, also);
    const auto alone = search_.score(question, also);
    ASSERT_EQ(scored.size(), also.size());
    for (std::size_t i = 0; i < also.size(); ++i) {
      EXPECT_EQ(scored[i].id, also[i]);
      EXPECT_DOUBLE_EQ(scored[i].score, alone[i].score) << text;
      EXPECT_DOUBLE_EQ(scored[i].features.coverage, alone[i].features.coverage);
      EXPECT_EQ(scored[i].terms, alone[i].terms);
    }
    ASSERT_LE(first.size(), best.size());
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_EQ(first[i].id, best[i].id);
    std::map<ExchangeId, double> scores;
    for (const auto& c : search_.score(question, all))
      scores[c.id] = c.score;
    for (const auto& c : best)
      EXPECT_DOUBLE_EQ(c.score, scores[c.id]) << text;
    if (best.size() < 250) continue;
    for (const auto& c : best)
      scores.erase(c.id);
    std::uint32_t driving = 0;
    for (std::size_t i = 0; i < question.plan.terms.size(); ++i)
      driving |= question.plan.terms[i].drives ? 1U << i : 0;
    for (const auto& c : search_.score(question, all))
      if (scores.contains(c.id) && (c.terms & driving) != 0 && !search_.is_excluded(question, c.id)) {
        EXPECT_LE(c.score, best.back().score) << text;
      }
  }
}

}  // namespace
}  // namespace memd::search

#include "store/search/topic_index.hpp"
#include "schemas/base/error.hpp"
#include "store/db/fts5.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/reader.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class TopicIndexTest : public testing::Test {
 protected:
  TopicIndexTest() : tokenizer(store.db().handle()) {}

  ExchangeId about(std::int64_t session, const std::vector<std::string>& topics, TimeMs time = 0) {
    const ExchangeId id = store.exchange(session, {.user = "u", .answer = "a", .time = time});
    set(id, topics);
    return id;
  }
  void set(ExchangeId id, const std::vector<std::string>& topics) {
    std::vector<TopicMention> mentions;
    double relevance = 0.9;
    for (const std::string& t : topics) {
      std::vector<search::Token> words;
      tokenizer.tokenize(t, words);
      std::string stems;
      for (const search::Token& word : words)
        stems.append(stems.empty() ? "" : " ").append(word.stem);
      mentions.push_back({t, relevance, stems});
      relevance -= 0.1;
    }
    topics::save(store.db(), id, mentions);
  }
  std::vector<std::string> stored() {
    std::vector<std::string> out;
    auto& q = store.db().prepare("SELECT topic FROM topics ORDER BY topic");
    while (q.step())
      out.push_back(q.str(0));
    q.reset();
    return out;
  }
  static std::vector<std::string> names(const std::vector<TopicCount>& topics) {
    std::vector<std::string> out;
    for (const TopicCount& t : topics)
      out.push_back(t.topic);
    return out;
  }
  static std::vector<ExchangeId> ids(const TopicFinding& finding) {
    std::vector<ExchangeId> out;
    for (const TopicExchange& e : finding.exchanges)
      out.push_back(e.id);
    return out;
  }
  TopicList list(TopicListQuery query = {}) { return Reader(store.file()).ask(query).value(); }
  TopicFinding find(TopicQuery question) { return Reader(store.file()).ask(question).value(); }

  StoreFixture store;
  search::IndexTokenizer tokenizer;
};

TEST_F(TopicIndexTest, SavingAgainReplacesAndClearsAway) {
  const auto s = store.session({.native_id = "s", .title = ""});
  const ExchangeId one = about(s, {"cache", "parser"});
  const ExchangeId two = about(s, {"cache"});
  set(one, {"lexer", "cache"});
  EXPECT_THAT(stored(), ElementsAre("cache", "lexer"));
  set(two, {});
  set(one, {"lexer"});
  EXPECT_THAT(stored(), ElementsAre("lexer"));
}

TEST_F(TopicIndexTest, TopicsGoWithTheirExchanges) {
  const auto s = store.session({.native_id = "s", .title = ""});
  about(s, {"cache", "parser"});
  about(s, {"parser"});
  store.db().exec("DELETE FROM exchanges WHERE exchange_number = 0");
  EXPECT_THAT(stored(), ElementsAre("parser"));
  store.db().exec("DELETE FROM exchanges");
  EXPECT_THAT(stored(), IsEmpty());
}

TEST_F(TopicIndexTest, FormsOfATopicAreOneNamedByTheCommonest) {
  const auto s = store.session({.native_id = "s", .title = ""});
  const auto t = store.session({.native_id = "t", .title = ""});
  about(s, {"Merge conflict"});
  about(s, {"merge conflicts"});
  about(t, {"merge conflicts"});
  const TopicList all = list();
  ASSERT_EQ(all.topics.size(), 1U);
  EXPECT_EQ(all.total, 1);
  EXPECT_EQ(all.topics[0].topic, "merge conflicts");
  EXPECT_EQ(all.topics[0].exchanges, 3);
  EXPECT_EQ(all.topics[0].sessions, 2);
  EXPECT_LT(all.topics[0].span.start, all.topics[0].span.end);
  // Another form becomes the most common: the name changes without a write to the topic's row.
  for (int i = 0; i < 3; ++i)
    about(s, {"Merge conflict"});
  EXPECT_THAT(names(list().topics), ElementsAre("Merge conflict"));
}

TEST_F(TopicIndexTest, ListIsByUseOverSessionsAndFiltered) {
  const auto s = store.session({.native_id = "s", .title = "", .project = "/p/one"});
  const auto t = store.session({.native_id = "t", .title = "", .project = "/p/two"});
  for (int i = 0; i < 2; ++i) {
    about(s, {"parser"});
    about(t, {"parser", "garden"});
  }
  about(s, {"kitchen"});
  about(s, {"parser table"});  // merged into the topic "parser"
  EXPECT_THAT(names(list().topics), ElementsAre("parser", "garden", "kitchen"));
  EXPECT_THAT(names(list({.filter = {.project = "one"}}).topics), ElementsAre("parser", "kitchen"));
  EXPECT_THAT(names(list({.filter = {.session = "claude_code:t"}}).topics), UnorderedElementsAre("parser", "garden"));
  EXPECT_THAT(names(list({.limit = 1, .offset = 1}).topics), ElementsAre("garden"));
  EXPECT_THAT(list({.filter = {.since = 9'000'000'000'000}}).topics, IsEmpty());
  EXPECT_THAT(list({.filter = {.no_platform = true}}).topics, IsEmpty());
}

TEST_F(TopicIndexTest, FindsByStemAndMoreSpecialNames) {
  const auto s = store.session({.native_id = "s", .title = "", .project = "/p/one"});
  const ExchangeId exact = about(s, {"shadow branches"});
  const ExchangeId special = about(s, {"other", "shadow branch migration"});
  const ExchangeId turned = about(s, {"branch of the shadow"});
  about(s, {"shadow"});
  const TopicFinding found = find({.text = "The Shadow Branch", .found = {turned}});
  EXPECT_THAT(ids(found), ElementsAre(exact, turned, special));
  EXPECT_THAT(names(found.names),
              UnorderedElementsAre("shadow branches", "shadow branch migration", "branch of the shadow"));
  EXPECT_EQ(found.names.front().topic, "shadow branches");
  EXPECT_THAT(names(found.related), ElementsAre("other"));
  EXPECT_THAT(ids(find({.text = "shadow branch", .filter = {.project = "two"}})), IsEmpty());
  EXPECT_THAT(ids(find({.text = "shadow branch", .limit = 1})), ElementsAre(exact));
}

TEST_F(TopicIndexTest, RelatedIsWhatTheseExchangesHaveMoreOf) {
  const auto s = store.session({.native_id = "s", .title = ""});
  const auto t = store.session({.native_id = "t", .title = ""});
  for (int i = 0; i < 4; ++i)
    about(s, {"cache", "everything", "eviction"});
  for (int i = 0; i < 40; ++i)
    about(t, {"everything", "number " + std::to_string(i)});
  EXPECT_THAT(names(find({.text = "caches"}).related), ElementsAre("eviction", "everything"));
}

TEST_F(TopicIndexTest, NothingIsNoError) {
  EXPECT_THAT(list().topics, IsEmpty());
  EXPECT_THAT(ids(find({.text = "anything"})), IsEmpty());
  EXPECT_THAT(ids(find({.text = "  ?!  "})), IsEmpty());
  EXPECT_THAT(ids(find({.text = "the"})), IsEmpty());
  EXPECT_EQ(Reader(store.file()).ask(TopicListQuery{.filter = {.session = "zzzz"}}).error().code, Errc::not_found);
  EXPECT_TRUE(Reader(store.file().parent_path() / "none.db").ask(TopicQuery{.text = "x"})->exchanges.empty());
}

}  // namespace
}  // namespace memd::test

#include "schemas/search.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/fake_semantic_index.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <set>

namespace memd {
namespace {

using test::FakeSemanticIndex;
using test::StoreFixture;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kQuestion = "how do we pay people";

class HybridSearch : public testing::Test {
 protected:
  HybridSearch() {
    const auto s = store_.session({.native_id = "aaaa1", .title = "Accounts"});
    for (int i = 0; i < 40; ++i)
      fill_.push_back(add(s, "the garden in week " + std::to_string(i), "green", 0.05F));
    payroll_ = add(s, "set up the salary run", "It goes out on the 25th by the bank's file.", 0.9F);
    const auto t = store_.session({.native_id = "bbbb1", .platform = Platform::cursor, .project = "/home/u/web"});
    words_ = add(t, "people queue here", "they do", 0.1F);
    semantic_->questions[std::string(kQuestion)] = {1, 0, 0};
  }

  ExchangeId add(std::int64_t session, std::string user, std::string answer, float nearness) {
    const auto id = store_.exchange(session, {.user = std::move(user), .answer = std::move(answer)});
    semantic_->exchanges[id] = FakeSemanticIndex::along(nearness);
    return id;
  }
  SearchQuery query(std::string_view text = kQuestion) {
    SearchQuery q;
    q.asked = search::parse_query(text);
    return q;
  }
  SearchAnswer ask(const SearchQuery& q) {
    auto r = reader_.search(q);
    EXPECT_TRUE(r) << (r ? "" : r.error().message());
    return r ? std::move(*r) : SearchAnswer{};
  }
  static std::vector<ExchangeId> ids(const SearchAnswer& answer) {
    std::vector<ExchangeId> out;
    for (const auto& hit : answer.hits)
      out.push_back(hit.id);
    return out;
  }

  StoreFixture store_;
  std::shared_ptr<FakeSemanticIndex> semantic_ = std::make_shared<FakeSemanticIndex>();
  Reader reader_{store_.file(), semantic_};
  std::vector<ExchangeId> fill_;
  ExchangeId payroll_ = 0;
  ExchangeId words_ = 0;
};

TEST_F(HybridSearch, WhatWasMeantIsFoundWithoutACommonWord) {
  const auto answer = ask(query());
  EXPECT_EQ(answer.mode, SearchMode::hybrid);
  EXPECT_TRUE(answer.semantic.used);
  EXPECT_EQ(answer.semantic.model, "fake/one");
  EXPECT_THAT(ids(answer), testing::UnorderedElementsAre(payroll_, words_)) << "what is not near is no hit";
  EXPECT_FALSE(answer.nothing_relevant);
  const auto& hit = answer.hits[answer.hits[0].id == payroll_ ? 0 : 1];
  EXPECT_EQ(hit.confidence, Confidence::medium);
  EXPECT_THAT(hit.snippet, HasSubstr("salary run")) << "the chunk that is nearest";
  EXPECT_FALSE(hit.features) << "nobody asked";
}

TEST_F(HybridSearch, ModesChooseTheSides) {
  auto q = query();
  q.mode = SearchMode::lexical;
  auto answer = ask(q);
  EXPECT_THAT(ids(answer), ElementsAre(words_));
  EXPECT_EQ(answer.mode, SearchMode::lexical);
  EXPECT_THAT(semantic_->asked, IsEmpty()) << "not even embedded";
  q.mode = SearchMode::semantic;
  answer = ask(q);
  EXPECT_EQ(answer.mode, SearchMode::semantic);
  ASSERT_EQ(answer.hits.size(), 20U);
  EXPECT_EQ(answer.hits[0].id, payroll_);
  EXPECT_EQ(answer.hits[1].id, words_);
  EXPECT_TRUE(answer.more);
  for (std::size_t i = 1; i < answer.hits.size(); ++i)
    EXPECT_LE(answer.hits[i].relevance_score, answer.hits[i - 1].relevance_score);
}

TEST_F(HybridSearch, TurnsWithAllWordsAreCounted) {
  const auto counted = [&](std::string_view text, const std::function<void(SearchQuery&)>& change = {}) {
    auto q = query(text);
    q.count_matching = true;
    q.limit = 2;
    if (change) change(q);
    return ask(q).matching;
  };
  EXPECT_EQ(ask(query("garden")).matching, std::nullopt) << "nobody asked";
  EXPECT_EQ(counted("garden"), 40);
  EXPECT_EQ(counted("garden week"), 40) << "with the second word, too";
  EXPECT_EQ(counted("garden 17"), 1);
  EXPECT_EQ(counted("garden salary"), 0) << "no turn has both";
  EXPECT_EQ(counted("garden xylophone"), 0) << "a word that occurs nowhere";
  EXPECT_EQ(counted("\"garden in week\""), 40);
  EXPECT_EQ(counted("\"week in garden\""), 0) << "not in this order";
  EXPECT_EQ(counted("run -garden"), 1);
  EXPECT_EQ(counted("garden", [](SearchQuery& q) { q.filter.platforms = {Platform::cursor}; }), 0);
  EXPECT_EQ(counted("platform:cursor"), 1) << "filters alone";
}

TEST_F(HybridSearch, OnlyTheQuestionIsEmbedded) {
  ask(query("salary -garden platform:cursor \"by the bank\" path:src/x"));
  EXPECT_THAT(semantic_->asked, ElementsAre("salary by the bank"));
}

TEST_F(HybridSearch, OperatorsThatLeaveNothingAreReadAsWords) {
  auto q = query("salary run path:nowhere.cpp -garden");
  q.mode = SearchMode::lexical;
  auto answer = ask(q);
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_EQ(answer.hits[0].id, payroll_);
  EXPECT_THAT(answer.dropped, ElementsAre("path:nowhere.cpp", "-garden"));
  EXPECT_THAT(answer.excluded, IsEmpty());
  q.offset = 1000;
  EXPECT_THAT(ask(q).hits, IsEmpty()) << "a later page is of the same list";

  q = query("garden week -green");
  q.mode = SearchMode::lexical;
  EXPECT_THAT(ask(q).dropped, ElementsAre("-green")) << "all of them hold it";
  q = query("people salary -queue");
  q.mode = SearchMode::lexical;
  answer = ask(q);
  EXPECT_THAT(ids(answer), ElementsAre(payroll_));
  EXPECT_THAT(answer.excluded, ElementsAre("queue"));
  EXPECT_THAT(answer.dropped, IsEmpty());
  q = query("salary project:unheard-of");
  EXPECT_THAT(ask(q).hits, IsEmpty());
  EXPECT_FALSE(ask(q).unknown_project.empty()) << "a name that nobody knows is told instead";
}

TEST_F(HybridSearch, OtherPhrasingsAreSearchedWithIt) {
  auto q = query("something nobody ever said");
  EXPECT_THAT(ids(ask(q)), IsEmpty());
  q.also = {"salary run", std::string(kQuestion)};
  auto answer = ask(q);
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_EQ(answer.hits[0].id, payroll_);
  EXPECT_EQ(answer.hits[0].found_by, 0b110U) << "by words and by meaning, and not by what was asked first";
  EXPECT_TRUE(answer.semantic.used);

  q = query("people -queue");
  q.also = {"they queue", "salary"};
  answer = ask(q);
  EXPECT_THAT(ids(answer), ElementsAre(payroll_)) << "what is excluded is excluded for all";
  EXPECT_EQ(answer.hits[0].found_by, 0b100U);
  q = query("salary platform:cursor");
  q.also = {"people queue", "platform:claude_code salary"};
  EXPECT_THAT(ids(ask(q)), ElementsAre(words_)) << "so are filters; those of others are words";
}

TEST_F(HybridSearch, PhrasingsMakeOneListForAllPages) {
  auto q = query("garden week");
  q.also = {"green", "the garden"};
  q.limit = 60;
  const auto whole = ids(ask(q));
  ASSERT_GE(whole.size(), 40U);
  EXPECT_EQ(std::set<ExchangeId>(whole.begin(), whole.end()).size(), whole.size());
  q.limit = 7;
  std::vector<ExchangeId> paged;
  for (q.offset = 0; paged.size() < whole.size(); q.offset += q.limit) {
    const auto page = ids(ask(q));
    ASSERT_FALSE(page.empty());
    paged.insert(paged.end(), page.begin(), page.end());
  }
  EXPECT_EQ(paged, whole);
}

TEST_F(HybridSearch, FiltersHoldForWhatMeaningFinds) {
  auto q = query();
  q.filter.project = "web";
  EXPECT_THAT(ids(ask(q)), ElementsAre(words_));
  q = query(std::string(kQuestion) + " platform:cursor");
  semantic_->questions[std::string(kQuestion)] = {1, 0, 0};
  EXPECT_THAT(ids(ask(q)), ElementsAre(words_));
  semantic_->questions["pay people"] = {1, 0, 0};
  EXPECT_THAT(ids(ask(query("pay people -salary"))), ElementsAre(words_)) << "excluded words exclude";
  semantic_->questions["people queue pay"] = {1, 0, 0};
  EXPECT_THAT(ids(ask(query("\"people queue\" pay"))), ElementsAre(words_)) << "what is in quotes has to be there";
  semantic_->questions["no such words pay"] = {1, 0, 0};
  EXPECT_THAT(ids(ask(query("\"no such words\" pay"))), IsEmpty());
}

TEST_F(HybridSearch, WithoutAModelWordsAloneAndItIsSaid) {
  semantic_->is_down = true;
  const auto answer = ask(query());
  EXPECT_EQ(answer.mode, SearchMode::lexical);
  EXPECT_FALSE(answer.semantic.used);
  EXPECT_THAT(answer.semantic.trouble, HasSubstr("connect ollama"));
  EXPECT_THAT(ids(answer), ElementsAre(words_));
  Reader plain(store_.file());
  const auto other = plain.search(query()).value();
  EXPECT_EQ(other.mode, SearchMode::lexical);
  EXPECT_FALSE(other.semantic.trouble.empty());
}

TEST_F(HybridSearch, CountsWhatHasNoVectorYet) {
  semantic_->pending = 3;
  semantic_->exchanges.erase(words_);
  const auto answer = ask(query());
  EXPECT_EQ(answer.semantic.pending, 3);
  EXPECT_THAT(ids(answer), testing::Contains(words_)) << "found by its words";
}

TEST_F(HybridSearch, AVectorOfWhatIsGoneIsNoHit) {
  semantic_->exchanges[999'999] = FakeSemanticIndex::along(1);
  EXPECT_THAT(ids(ask(query())), testing::Not(testing::Contains(999'999)));
}

TEST_F(HybridSearch, CopiesAreOneHit) {
  const auto s = store_.session({.native_id = "cccc1"});
  add(s, "set up the salary run", "It goes out on the 25th by the bank's file.", 0.9F);
  const auto answer = ask(query());
  EXPECT_EQ(answer.hits.size(), 2U);
  EXPECT_EQ(answer.hits[0].copies + answer.hits[1].copies, 1);
}

// The query is a line, a command or a name: the same words in another order are not the same.
TEST_F(HybridSearch, WhatStandsAsTypedComesFirst) {
  const auto s = store_.session({.native_id = "cccc1"});
  std::string talk = "We looked at the build for a while and talked about the walls of the garden. ";
  talk += talk + talk;
  const auto typed = add(s, "look at the build", talk + "Then I ran go test -race once. " + talk, 0.1F);
  const auto apart = add(s, "the race: test -go", "race go, test race, go race test, test go", 0.1F);
  const auto longer = add(s, "the race", "cargo test -raced: go, race, go test, race go", 0.1F);
  for (const SearchMode mode : {SearchMode::lexical, SearchMode::hybrid}) {
    SearchQuery q = query("go test -race");
    q.mode = mode;
    q.explain = true;
    const auto answer = ask(q);
    ASSERT_THAT(ids(answer), testing::IsSupersetOf({typed, apart, longer}));
    EXPECT_EQ(answer.hits[0].id, typed);
    for (const SearchHit& hit : answer.hits)
      EXPECT_EQ(hit.features->verbatim, hit.id == typed ? 1 : 0) << hit.id;
    // Memories and topics compare these scores with their own.
    EXPECT_TRUE(std::ranges::is_sorted(answer.hits, std::ranges::greater(), &SearchHit::relevance_score));
    EXPECT_LT(answer.hits[0].relevance_score, 1) << "it stands first, but its score is that of its words";
  }
  SearchQuery filtered = query("ran go test platform:claude_code");
  filtered.explain = true;
  const auto answer = ask(filtered);
  ASSERT_THAT(ids(answer), testing::Contains(typed));
  EXPECT_EQ(answer.hits[0].id, typed);
  EXPECT_EQ(answer.hits[0].features->verbatim, 1) << "its operators are no part of it";
}

// As in an editor's search: a query without capital letters ignores case.
TEST_F(HybridSearch, CapitalLettersCountWhenOneWasTyped) {
  const auto s = store_.session({.native_id = "cccc1"});
  const auto capital = add(s, "the cache", "It fails as the Redis cache is full.", 0.1F);
  const auto small = add(s, "the build", "the redis cache of the build", 0.1F);
  const auto holding = [&](const std::string& typed) {
    SearchQuery q = query(typed);
    q.mode = SearchMode::lexical;
    q.explain = true;
    std::vector<ExchangeId> out;
    for (const SearchHit& hit : ask(q).hits)
      if (hit.features->verbatim == 1) out.push_back(hit.id);
    return out;
  };
  EXPECT_THAT(holding("redis cache"), testing::UnorderedElementsAre(capital, small));
  EXPECT_THAT(holding("Redis cache"), testing::ElementsAre(capital));
}

TEST_F(HybridSearch, ExplainsByFeatures) {
  auto q = query();
  q.explain = true;
  q.now = 1'770'000'000'000 + kMsPerDay;
  q.near_project = "/home/u/web";
  for (const auto& hit : ask(q).hits) {
    ASSERT_TRUE(hit.features);
    EXPECT_EQ(hit.features->same_project, hit.id == words_ ? 1 : 0);
    EXPECT_GT(hit.features->recency, 0.9);
    EXPECT_EQ(hit.features->coverage > 0, hit.id == words_);
    EXPECT_NEAR(hit.features->cosine, hit.id == words_ ? 0.1 : 0.9, 1e-6);
  }
}

// Two exchanges that share one word with a question of three, and are equally near to it.
class SecondLookRanking : public HybridSearch {
 protected:
  SecondLookRanking() {
    semantic_->exchanges.erase(payroll_);
    const auto s = store_.session({.native_id = "ccccc"});
    older_ = add(s, "a box of apples", "in the cellar", 0.3F);
    newer_ = add(s, "a box of pears", "in the cellar", 0.3F);
    semantic_->questions[std::string(kPopup)] = {1, 0, 0};
  }
  // Returns the first hit.
  ExchangeId first(const SearchQuery& q) {
    const auto found = ids(ask(q));
    return found.empty() ? 0 : found.front();
  }

  static constexpr std::string_view kPopup = "box popping up whenever saving";
  ExchangeId older_ = 0;
  ExchangeId newer_ = 0;
};

TEST_F(SecondLookRanking, RanksTheBestAgain) {
  ASSERT_EQ(first(query(kPopup)), newer_);
  EXPECT_EQ(ask(query(kPopup)).semantic.without_second_look, 2);
  semantic_->looks = {{older_, 0.8F}, {newer_, 0.1F}};
  EXPECT_EQ(first(query(kPopup)), older_);
  auto q = query(kPopup);
  q.explain = true;
  const auto answer = ask(q);
  EXPECT_EQ(answer.semantic.without_second_look, 0);
  EXPECT_GT(answer.hits[0].features->second_look, answer.hits[1].features->second_look);
}

TEST_F(SecondLookRanking, IsNotForWordsAloneNorMeaningAloneNorSeveralPhrasings) {
  semantic_->looks = {{older_, 0.8F}, {newer_, 0.1F}};
  auto q = query(kPopup);
  for (const SearchMode mode : {SearchMode::lexical, SearchMode::semantic}) {
    q.mode = mode;
    EXPECT_EQ(first(q), newer_);
  }
  q.mode = SearchMode::hybrid;
  q.also = {"dialog"};
  EXPECT_EQ(first(q), newer_);
}

TEST_F(SecondLookRanking, IsForQuestionsOfThreeWordsInLatinScript) {
  semantic_->looks = {{older_, 0.8F}, {newer_, 0.1F}};
  for (const std::string_view text :
       {"box popping", "box that is popping", "box всплывает когда сохраняю", "box 保存 する 時"}) {
    semantic_->questions[std::string(text)] = {1, 0, 0};
    EXPECT_EQ(first(query(text)), newer_) << text;
  }
  constexpr std::string_view kFrench = "box à l'écran après sauvegarde";
  semantic_->questions[std::string(kFrench)] = {1, 0, 0};
  EXPECT_EQ(first(query(kFrench)), older_);
}

TEST_F(SecondLookRanking, LeavesWhatHasAllWordsWhereItIs) {
  semantic_->looks = {{older_, 0.8F}, {newer_, 0.1F}};
  semantic_->questions["a box of pears in the cellar"] = {1, 0, 0};
  EXPECT_EQ(first(query("a box of pears in the cellar")), newer_);
}

TEST_F(SecondLookRanking, TakesTheMeanForWhatHasNoVectorYet) {
  const auto s = store_.session({.native_id = "ddddd"});
  const auto third = add(s, "a box of plums", "in the cellar", 0.3F);
  const auto once = ids(ask(query(kPopup)));
  semantic_->looks = {{older_, 0.8F}, {newer_, 0.1F}};
  EXPECT_THAT(ids(ask(query(kPopup))), ElementsAre(older_, third, newer_));
  semantic_->looks = {{older_, 0.8F}};
  EXPECT_EQ(ids(ask(query(kPopup))), once) << "one vector has nothing to be compared with";
}

TEST_F(HybridSearch, PagesFollowOneOrder) {
  const auto s = store_.session({.native_id = "dddd1"});
  for (int i = 0; i < 700; ++i)
    add(s, "people number " + std::to_string(i), std::string(static_cast<std::size_t>(i % 7), 'x'),
        static_cast<float>(i % 90) / 100);
  auto q = query();
  q.limit = 60;
  std::vector<ExchangeId> paged;
  for (q.offset = 0;; q.offset += q.limit) {
    const auto answer = ask(q);
    for (const auto& hit : answer.hits)
      paged.push_back(hit.id);
    if (!answer.more) break;
  }
  EXPECT_GE(paged.size(), 701U);
  EXPECT_EQ(std::set<ExchangeId>(paged.begin(), paged.end()).size(), paged.size()) << "each once";
  q.offset = 0;
  q.limit = 1000;
  EXPECT_EQ(ids(ask(q)), paged);
}

TEST_F(HybridSearch, NothingRelevantIsSaid) {
  semantic_->questions["quantum chromodynamics of week hats"] = FakeSemanticIndex::along(0.05F);
  const auto answer = ask(query("quantum chromodynamics of week hats"));
  EXPECT_TRUE(answer.nothing_relevant);
  for (const auto& hit : answer.hits)
    EXPECT_EQ(hit.confidence, Confidence::low);
  EXPECT_FALSE(ask(query("garden week")).nothing_relevant);
  EXPECT_FALSE(ask(query("platform:cursor")).nothing_relevant) << "filters alone are always met";
}

}  // namespace
}  // namespace memd

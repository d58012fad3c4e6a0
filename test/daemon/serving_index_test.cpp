#include "daemon/models/serving_index.hpp"
#include "schemas/base/error.hpp"
#include "store/enrich/second_look.hpp"
#include "store/search/vectors/codes.hpp"
#include "test/daemon/enrichment_fixture.hpp"

#include <gmock/gmock.h>

namespace memd::test {
namespace {

using embedding::serving_model;
using embedding::ServingIndex;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsNan;
using testing::Lt;

class ServingIndexTest : public EnrichmentFixture {
 protected:
  ServingIndex& index() {
    if (!index_)
      index_ = std::make_unique<ServingIndex>(
          store_.file(), [this] { return std::make_shared<const embedding::Models>(models_); },
          [this] { return worker_ ? worker_->progress().trouble : std::string(); });
    return *index_;
  }
  std::vector<ExchangeId> nearest(const std::string& question) {
    auto vector = index().embed(question, {});
    if (!vector) return {};
    auto db = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
    vectors::ScanRequest request;
    request.count = 3;
    const auto found = index().scan(db, *vector, request);
    std::vector<ExchangeId> out;
    for (const auto& n : found.nearest)
      out.push_back(n.exchange);
    return out;
  }
  search::SemanticState state() {
    auto db = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
    return index().state(db);
  }

  std::unique_ptr<ServingIndex> index_;
};

EmbeddingModels stored(std::string target, bool complete, std::vector<EmbeddingModelRow> rows) {
  return {std::move(target), complete, std::move(rows)};
}

TEST_F(ServingIndexTest, TheOldModelServesUntilTheNewOneHasMore) {
  const auto old_model = std::make_shared<LettersEmbedder>("old");
  const auto new_model = std::make_shared<LettersEmbedder>("new");
  const embedding::Models both{{{new_model, nullptr}}, old_model};
  const auto name = [&](const EmbeddingModels& s, const embedding::Models& m) {
    const auto* row = serving_model(s, m);
    return row == nullptr ? std::string("none") : row->name;
  };
  EXPECT_EQ(name(stored("new", false, {{"old", 8, 10}, {"new", 8, 3}}), both), "old");
  EXPECT_EQ(name(stored("new", false, {{"old", 8, 10}, {"new", 8, 10}}), both), "new");
  EXPECT_EQ(name(stored("new", false, {{"old", 8, 10}, {"new", 8, 11}}), both), "new");
  EXPECT_EQ(name(stored("new", true, {{"old", 8, 10}, {"new", 8, 4}}), both), "new")
      << "complete: the rest says nothing";
  EXPECT_EQ(name(stored("new", false, {{"gone", 8, 10}, {"new", 8, 1}}), both), "new") << "nobody can ask the other";
  EXPECT_EQ(name(stored("new", false, {{"gone", 8, 10}}), both), "none");
  EXPECT_EQ(name(stored("", false, {}), both), "none");
  EXPECT_EQ(name(stored("old", true, {{"old", 8, 1}}), {}), "none") << "disabled";
}

TEST_F(ServingIndexTest, FindsWhatIsNear) {
  const auto a = add("aaaa");
  add("bbbb");
  add("cccc");
  EXPECT_FALSE(index().embed("aaab", {})) << "nothing has vectors yet";
  run_to_idle();
  ASSERT_FALSE(nearest("aaab").empty());
  EXPECT_EQ(nearest("aaab").front(), a);
  EXPECT_EQ(state().model, "builtin/letters");
  EXPECT_EQ(state().exchanges, 3);
  EXPECT_EQ(state().pending, 0);
  EXPECT_GT(index().memory(), 0u);
}

TEST_F(ServingIndexTest, TheSameQuestionIsEmbeddedOnce) {
  add("aaaa");
  run_to_idle();
  const std::size_t before = local_->texts().size();
  (void)nearest("who");
  (void)nearest("who");
  EXPECT_EQ(local_->texts().size(), before + 1);
}

TEST_F(ServingIndexTest, AFailingModelIsAnErrorWithItsReason) {
  add("aaaa");
  run_to_idle();
  local_->fail(Error(Errc::unavailable, "out of order"));
  const auto vector = index().embed("who", {});
  ASSERT_FALSE(vector);
  EXPECT_EQ(vector.error().context, "out of order");
}

TEST_F(ServingIndexTest, AModelThatChangedItsDimensionIsNotUsed) {
  add("aaaa");
  run_to_idle();
  const auto changed = std::make_shared<LettersEmbedder>("builtin/letters", 16);
  models_ = {{{changed, nullptr}}, changed};
  const auto vector = index().embed("who", {});
  ASSERT_FALSE(vector);
  EXPECT_THAT(vector.error().context, HasSubstr("does not fit"));
}

TEST_F(ServingIndexTest, Disabled) {
  add("aaaa");
  run_to_idle();
  models_ = {};
  const auto vector = index().embed("who", {});
  ASSERT_FALSE(vector);
  EXPECT_TRUE(vector.error().is(Errc::unavailable));
  EXPECT_THAT(vector.error().context, HasSubstr("disabled"));
  EXPECT_EQ(state().model, "");
}

TEST_F(ServingIndexTest, AQuestionOfAReplacedModelFindsNothing) {
  const auto id = add("aaaa");
  run_to_idle();
  auto question = index().embed("who", {}).value();
  question.model = "builtin/replaced";
  auto db = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
  vectors::ScanRequest request;
  const std::vector<ExchangeId> also{id};
  request.also = also;
  const auto found = index().scan(db, question, request);
  EXPECT_TRUE(found.nearest.empty());
  ASSERT_EQ(found.also.size(), 1u);
  EXPECT_TRUE(std::isnan(found.also[0]));
}

class SecondLookCosines : public ServingIndexTest {
 protected:
  void save(ExchangeId id, std::string_view text) {
    second_look::set_model(store_.db(), network_->model().name);
    SecondLookVector made{.id = id};
    vectors::append_quantised(network_->embed(std::span(&text, 1), embedding::Purpose::document, {}).value().front(),
                              made.vector);
    second_look::save(store_.db(), std::span(&made, 1));
  }
  std::vector<float> look(const std::string& question, std::vector<ExchangeId> ids) {
    auto db = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
    return index().second_look(db, {.text = question}, ids);
  }

  std::shared_ptr<LettersEmbedder> network_ = std::make_shared<LettersEmbedder>("look");
};

TEST_F(SecondLookCosines, AreThoseOfStoredVectors) {
  models_.second_look = network_;
  const auto a = add("first");
  const auto b = add("second");
  const auto c = add("third");
  EXPECT_THAT(look("aaab", {a, b}), ElementsAre(IsNan(), IsNan())) << "nothing has vectors yet";
  EXPECT_EQ(network_->texts().size(), 0u) << "so the question is not embedded";
  save(a, "aaab");
  save(b, "bbbb");
  EXPECT_THAT(look("aaab", {b, a, c}), ElementsAre(Lt(0.9F), FloatNear(1, 0.01F), IsNan()));
  const std::size_t before = network_->texts().size();
  EXPECT_THAT(look("aaab", {c, a}), ElementsAre(IsNan(), FloatNear(1, 0.01F)));
  EXPECT_EQ(network_->texts().size(), before) << "the question's vector is kept";
  (void)look(std::string(10'000, 'a'), {a});
  EXPECT_LE(network_->texts().back().size(), 160u) << "the beginning of a long one is enough";
}

TEST_F(SecondLookCosines, AreNoneWithoutTheNetworkThatMadeTheVectors) {
  const auto a = add("first");
  save(a, "aaab");
  EXPECT_THAT(look("aaab", {a}), IsEmpty());
  models_.second_look = std::make_shared<LettersEmbedder>("another");
  EXPECT_THAT(look("aaab", {a}), ElementsAre(IsNan()));
}

TEST_F(SecondLookCosines, AreNoneWhenTheQuestionCannotBeEmbedded) {
  models_.second_look = network_;
  const auto a = add("first");
  save(a, "aaab");
  network_->fail(Error(Errc::unavailable, "out of order"));
  EXPECT_THAT(look("aaab", {a}), IsEmpty());
}

}  // namespace
}  // namespace memd::test

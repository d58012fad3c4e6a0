#include "daemon/models/serving_index.hpp"
#include "test/daemon/enrichment_fixture.hpp"

#include <gmock/gmock.h>

#include <thread>

namespace memd::test {
namespace {

using embedding::serving_model;
using embedding::ServingIndex;
using testing::HasSubstr;

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

// builtin → a server's → builtin, while questions go on.
TEST_F(ServingIndexTest, SwitchingModelsNeverLeavesSearchesWithout) {
  StandInServer server([](const auto& a) { return good_answer(a, 12); });
  for (int i = 0; i < 40; ++i)
    add("question about " + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i));
  run_to_idle();
  (void)index();

  std::atomic<bool> done{false};
  std::atomic<int> asked{0};
  std::atomic<int> empty{0};
  std::mutex models_mutex;
  const auto builtin = models_;
  embedding::Models far = builtin;
  auto model = remote_model(server, "far");
  far.choices = {{model, model}};
  embedding::Models current = builtin;
  ServingIndex searched(store_.file(), [&] {
    const std::lock_guard lock(models_mutex);
    return std::make_shared<const embedding::Models>(current);
  });
  std::thread asking([&] {
    auto db = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
    while (!done) {
      const auto vector = searched.embed("question " + std::to_string(asked++), {});
      vectors::ScanRequest request;
      if (!vector || searched.scan(db, *vector, request).nearest.empty()) ++empty;
    }
  });
  const auto switch_to = [&](const embedding::Models& to) {
    worker_.reset();
    models_ = to;
    {
      const std::lock_guard lock(models_mutex);
      current = to;
    }
    run_to_idle();
  };
  switch_to(far);
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/far'"), 40);
  EXPECT_EQ(count("SELECT count(*) FROM vector_models"), 1) << "what was replaced is gone";
  EXPECT_EQ(state().model, "ollama/far");
  embedding::Models back = builtin;  // the other one stays in the configuration, as a fallback
  back.choices.push_back({model, model});
  switch_to(back);
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'builtin/letters'"), 40);
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/far'"), 40);
  while (asked < 50)
    std::this_thread::yield();
  done = true;
  asking.join();
  // Between embedding a question and looking, the last vectors of its model may go: at most at each switch.
  EXPECT_LE(empty, 2);
}

}  // namespace
}  // namespace memd::test

#include "test/daemon/enrichment_fixture.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <semaphore>
#include <set>

namespace memd::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class EnrichmentWorkerTest : public EnrichmentFixture {};

// An embedder that answers only when the test lets it.
class SlowEmbedder final : public embedding::Embedder {
 public:
  embedding::ModelId model() const override { return letters_.model(); }
  Result<std::vector<embedding::Vector>> embed(std::span<const std::string_view> given, embedding::Purpose purpose,
                                               std::stop_token stop) override {
    is_asked.release();
    may_answer.acquire();
    return letters_.embed(given, purpose, std::move(stop));
  }

  std::counting_semaphore<> is_asked{0};
  std::counting_semaphore<> may_answer{0};

 private:
  LettersEmbedder letters_{"builtin/slow"};
};

TEST_F(EnrichmentWorkerTest, GivesEveryExchangeTermsAndVectorsOnce) {
  for (int i = 0; i < 50; ++i)
    add("question " + std::to_string(i), "answer " + std::to_string(i));
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 50);
  EXPECT_EQ(count("SELECT count(*) FROM exchange_topics"), 50);
  EXPECT_EQ(count("SELECT count(*) FROM enrichment_queue"), 0);
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'builtin/letters'"), 50);
  EXPECT_EQ(local_->texts().size(), 50u) << "nothing is embedded twice";
  const EnrichmentProgress p = worker_->progress();
  EXPECT_EQ(p.exchanges, 50u);
  EXPECT_FALSE(p.working);
  EXPECT_THAT(p.trouble, IsEmpty());
}

TEST_F(EnrichmentWorkerTest, SleepsUntilItIsHintedAtSomethingNew) {
  run_to_idle();
  add("late question");
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 0);
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 1);
}

TEST_F(EnrichmentWorkerTest, SessionsAreAnalysedWhileAModelIsSlow) {
  const auto slow = std::make_shared<SlowEmbedder>();
  models_ = {{{slow, nullptr}}, slow};
  std::counting_semaphore<> analyzed{0};
  on_analyzed_ = [&] { analyzed.release(); };
  add("question");
  advance(kMsPerDay);  // the session has stopped
  start();
  slow->is_asked.acquire();
  EXPECT_TRUE(analyzed.try_acquire_for(std::chrono::seconds(60)));
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 0);
  slow->may_answer.release(1000);
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 1);
  worker_.reset();
}

TEST_F(EnrichmentWorkerTest, TroubleIsOverOnlyWhenSomethingSucceeded) {
  const auto slow = std::make_shared<SlowEmbedder>();
  models_ = {{{slow, nullptr}}, slow};
  performs_left_ = 2;  // the target, twice
  add("question");
  start();
  ASSERT_TRUE(slow->is_asked.try_acquire_for(std::chrono::seconds(60)));
  slow->may_answer.release();
  ASSERT_TRUE(worker_->block_until_idle(std::chrono::seconds(60)));
  EXPECT_EQ(worker_->progress().trouble, "write memd.db: Input/output error");

  performs_left_ = 1'000'000;
  worker_->hint();
  ASSERT_TRUE(slow->is_asked.try_acquire_for(std::chrono::seconds(60)));
  EXPECT_EQ(worker_->progress().trouble, "write memd.db: Input/output error") << "the next try has not ended yet";
  slow->may_answer.release();
  ASSERT_TRUE(worker_->block_until_idle(std::chrono::seconds(60)));
  EXPECT_THAT(worker_->progress().trouble, IsEmpty());
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 1);
}

TEST_F(EnrichmentWorkerTest, GoesOnWhereAKilledOneWas) {
  for (int i = 0; i < 60; ++i)
    add("question " + std::to_string(i));
  performs_left_ = 4;  // the target and three batches
  run_to_idle();
  const auto done = count("SELECT count(*) FROM vectors");
  EXPECT_GT(done, 0);
  EXPECT_LT(done, 60);
  EXPECT_EQ(count("SELECT count(*) FROM enrichment_queue"), 60 - done);
  worker_.reset();

  performs_left_ = 1'000'000;
  const std::size_t before = local_->texts().size();
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 60);
  EXPECT_EQ(count("SELECT count(DISTINCT exchange_pk) FROM vectors"), 60);
  EXPECT_EQ(count("SELECT count(*) FROM enrichment_queue"), 0);
  EXPECT_EQ(local_->texts().size() - before, static_cast<std::size_t>(60 - done)) << "only what was missing";
}

TEST_F(EnrichmentWorkerTest, OfAGrownExchangeOnlyChangedChunksAreEmbedded) {
  std::string long_answer;
  for (int i = 0; i < 300; ++i)
    long_answer += "Sentence number " + std::to_string(i) + " of the answer.\n\n";
  const ExchangeId id = add("question", long_answer);
  run_to_idle();
  const std::size_t first = local_->texts().size();
  EXPECT_GT(first, 5u);
  grow(id, "One more sentence at the end.", clock_.now() - kMsPerDay);
  run_to_idle();
  EXPECT_LE(local_->texts().size() - first, 2u);
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 1);
  EXPECT_EQ(count("SELECT length(chunk_hashes) / 8 * 8 = length(vectors) FROM vectors"), 1) << "8 numbers a chunk";
}

TEST_F(EnrichmentWorkerTest, AnExchangeThatIsBeingWrittenIsLeftAloneForAMoment) {
  const ExchangeId growing = add("question", "begin", 1500);
  add("old question");
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 1) << "the old one";
  for (int i = 0; i < 5; ++i) {
    advance(500);
    grow(growing, " and more", clock_.now());
    run_to_idle();
  }
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 1);
  advance(1000);
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 2);
  EXPECT_EQ(local_->texts().size(), 2u) << "once, with all of it";

  grow(growing, " and again", clock_.now());
  worker_->include_unsettled(true);
  ASSERT_TRUE(worker_->block_until_idle(std::chrono::seconds(60)));
  EXPECT_EQ(count("SELECT count(*) FROM enrichment_queue"), 0) << "unless somebody waits for it";
}

TEST_F(EnrichmentWorkerTest, NewTermsAreMadeOfAllWhenWhatMakesThemChanges) {
  add("alpha");
  run_to_idle();
  terms_version_ = 2;
  store_.db().exec("DELETE FROM exchange_topics");
  start();
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM exchange_topics"), 1);
  EXPECT_EQ(local_->texts().size(), 1u) << "vectors stay";
}

TEST_F(EnrichmentWorkerTest, DisabledMakesTermsAndNoVectors) {
  models_ = {};
  add("alpha");
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM exchange_topics"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 0);
  EXPECT_THAT(worker_->progress().trouble, IsEmpty());
}

}  // namespace
}  // namespace memd::test

#pragma once

#include "daemon/models/enrichment_worker.hpp"
#include "schemas/base/result.hpp"
#include "schemas/exchange_row.hpp"
#include "store/enrich/enrichment.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/letters_embedder.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <mutex>

namespace memd::test {

// A term extractor whose only topic is the first word of the prompt.
class WordTerms final : public TermExtractor {
 public:
  explicit WordTerms(int version) : version_(version) {}
  int version() const override { return version_; }
  Result<ExchangeTerms> extract(const PendingExchange& exchange) override {
    ExchangeTerms out;
    out.topics.push_back({exchange.user_message.substr(0, exchange.user_message.find(' ')), 0.5});
    return out;
  }

 private:
  const int version_;
};

// A store that the test fills, a writer, and an enrichment worker over both. All clocks are fake.
class EnrichmentFixture : public testing::Test {
 protected:
  EnrichmentFixture() {
    writer_ = Writer::open(store_.file(), clock_).value();
    session_ = store_.session({"s1", "title"});
  }
  ~EnrichmentFixture() override { worker_.reset(); }

  ExchangeId add(const std::string& user, const std::string& answer = "", TimeMs age = kMsPerDay) {
    ExchangeTexts texts;
    texts.user = user;
    texts.answer = answer;
    texts.time = clock_.now() - age;
    const std::lock_guard lock(writing_);
    const ExchangeId id = store_.exchange(session_, texts);
    enrichment::enqueue(store_.db(), id);
    return id;
  }
  // Extends the exchange.
  void grow(ExchangeId id, const std::string& more, TimeMs ended_at) {
    const std::lock_guard lock(writing_);
    store_.db()
        .prepare(
            "UPDATE exchanges SET assistant_response = assistant_response || ?2, ended_at = ?3 WHERE exchange_pk = ?1")
        .bind(id, more, ended_at)
        .run();
    enrichment::enqueue(store_.db(), id);
  }
  std::int64_t count(const std::string& sql) {
    const std::lock_guard lock(writing_);
    auto& q = store_.db().prepare(sql);
    q.bind();
    q.step();
    const auto out = q.int64(0);
    q.reset();
    return out;
  }

  EnrichmentWorker& start() {
    worker_.reset();
    EnrichmentParts parts;
    parts.database = store_.file();
    parts.perform = [this](std::function<Result<void>(Writer&)> task) -> Result<void> {
      const std::lock_guard lock(writing_);
      if (performs_left_ == 0) return Error::from_errno(EIO, "write", "memd.db");
      --performs_left_;
      return task(*writer_);
    };
    parts.wait_for_ingest = [](std::chrono::milliseconds) { return true; };
    parts.models = [this] { return std::make_shared<const embedding::Models>(models_); };
    parts.terms = [this](const std::filesystem::path&) { return std::make_unique<WordTerms>(terms_version_); };
    parts.on_analyzed = on_analyzed_;
    EnrichmentOptions options;
    options.in_background = false;
    options.most_exchanges = 8;
    options.steady_now = [this] { return steady_now(); };
    worker_ = std::make_unique<EnrichmentWorker>(std::move(parts), clock_, options);
    worker_->start();
    return *worker_;
  }
  void run_to_idle() {
    if (!worker_) start();
    worker_->hint();
    ASSERT_TRUE(worker_->block_until_idle(std::chrono::seconds(60)));
  }
  TargetModel::Time steady_now() const { return began_ + std::chrono::milliseconds(steady_ms_.load()); }
  void advance(TimeMs ms) {
    clock_.advance(ms);
    steady_ms_ += ms;
  }

  FakeClock clock_;
  const TargetModel::Time began_ = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> steady_ms_{0};
  StoreFixture store_;
  std::mutex writing_;
  std::unique_ptr<Writer> writer_;
  std::int64_t session_ = 0;
  std::shared_ptr<LettersEmbedder> local_ = std::make_shared<LettersEmbedder>("builtin/letters");
  embedding::Models models_{{{local_, nullptr}}, local_};
  int terms_version_ = 1;
  int performs_left_ = 1'000'000;  // guarded by writing_ while the worker runs
  std::function<void()> on_analyzed_;
  std::unique_ptr<EnrichmentWorker> worker_;
};

}  // namespace memd::test

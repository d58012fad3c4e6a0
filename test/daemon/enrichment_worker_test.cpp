#include "test/daemon/enrichment_fixture.hpp"

#include <gmock/gmock.h>

#include <set>

namespace memd::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class EnrichmentWorkerTest : public EnrichmentFixture {};

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

TEST_F(EnrichmentWorkerTest, GoesOnWhereAKilledOneWas) {
  for (int i = 0; i < 60; ++i)
    add("question " + std::to_string(i));
  performs_left_ = 4;  // the target, and three batches
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
  worker_->hurry(true);
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

TEST_F(EnrichmentWorkerTest, AServerThatIsDownIsTriedAgainAndTermsDoNotWait) {
  StandInServer server([](const auto&) { return StandInServer::Reply{503, "application/json", "", "{}"}; });
  models_ = {{{nullptr, nullptr}}, local_};
  models_.choices[0].remote = remote_model(server, "far");
  models_.choices[0].embedder = models_.choices[0].remote;
  for (int i = 0; i < 20; ++i)
    add("question " + std::to_string(i));
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM exchange_topics"), 20);
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 0);
  EXPECT_THAT(worker_->progress().trouble, HasSubstr("status 503"));
  EXPECT_EQ(worker_->progress().retry_at, clock_.now() + 1000);
  const std::size_t asked = server.asked().size();
  run_to_idle();
  EXPECT_EQ(server.asked().size(), asked) << "not before its time";

  server.answer_with([](const auto& a) { return good_answer(a); });
  advance(1000);
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 20);
  EXPECT_THAT(worker_->progress().trouble, IsEmpty());
}

TEST_F(EnrichmentWorkerTest, WhatAServerHasAlreadyMadeIsNotAskedForAgain) {
  std::atomic<int> good{3};  // the probe and two batches of four texts
  StandInServer server([&good](const auto& a) {
    return good-- > 0 ? good_answer(a) : StandInServer::Reply{500, "application/json", "", "{}"};
  });
  models_ = {{{nullptr, nullptr}}, local_};
  models_.choices[0].remote = remote_model(server, "far");
  models_.choices[0].embedder = models_.choices[0].remote;
  std::string long_answer;
  for (int i = 0; i < 400; ++i)
    long_answer += "Sentence number " + std::to_string(i) + " of the answer.\n\n";
  add("question", long_answer);
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 0);
  good = 1'000'000;
  advance(60'000);
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 1);
  std::multiset<std::string> embedded;
  for (const auto& a : server.asked())
    for (const auto& text : a.body.at("input").as_array())
      embedded.insert(std::string(text.as_string()));
  embedded.erase("memory");
  const auto chunks = count("SELECT length(chunk_hashes) / 8 FROM vectors");
  EXPECT_EQ(std::set<std::string>(embedded.begin(), embedded.end()).size(), static_cast<std::size_t>(chunks));
  EXPECT_EQ(embedded.size(), static_cast<std::size_t>(chunks) + 4) << "only the batch that failed was sent twice";
}

TEST_F(EnrichmentWorkerTest, ARefusedTextDoesNotKeepTheOthersWithout) {
  StandInServer server([](const StandInServer::Asked& a) {
    for (const auto& text : a.body.at("input").as_array())
      if (text.as_string().find("poison") != boost::json::string::npos)
        return StandInServer::Reply{400, "application/json", "", R"({"error":"too long"})"};
    return good_answer(a);
  });
  models_ = {{{nullptr, nullptr}}, local_};
  models_.choices[0].remote = remote_model(server, "far");
  models_.choices[0].embedder = models_.choices[0].remote;
  for (int i = 0; i < 30; ++i)
    add((i % 2 == 0 ? "poison " : "fine ") + std::to_string(i));
  run_to_idle();
  EXPECT_EQ(count("SELECT count(*) FROM vectors"), 30);
  EXPECT_EQ(count("SELECT count(*) FROM vectors WHERE vectors = zeroblob(8)"), 15);
  EXPECT_EQ(worker_->progress().refused, 15u);
  EXPECT_EQ(count("SELECT count(*) FROM enrichment_queue"), 0);
}

TEST_F(EnrichmentWorkerTest, AFallbackTakesTheirPlaceWhenTheFirstNeverWorked) {
  StandInServer down([](const auto&) { return StandInServer::Reply{404, "application/json", "", "{}"}; });
  StandInServer up([](const auto& a) { return good_answer(a); });
  models_ = {};
  for (auto* server : {&down, &up}) {
    auto model = remote_model(*server, server == &down ? "first" : "second");
    models_.choices.push_back({model, model});
  }
  for (int i = 0; i < 10; ++i)
    add("question " + std::to_string(i));
  run_to_idle();
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/second'"), 10);
  EXPECT_EQ(worker_->progress().model, "ollama/second");

  // The first one comes back, and is looked for again with the next work after half an hour.
  down.answer_with([](const auto& a) { return good_answer(a); });
  advance(31 * 60'000);
  add("another question");
  run_to_idle();
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/first'"), 11);
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/second'"), 10) << "kept: it is configured";
}

TEST_F(EnrichmentWorkerTest, AModelThatWorkedIsNotGivenUpForAShortFailure) {
  StandInServer first([](const auto& a) { return good_answer(a); });
  StandInServer second([](const auto& a) { return good_answer(a); });
  models_ = {};
  for (auto* server : {&first, &second}) {
    auto model = remote_model(*server, server == &first ? "first" : "second");
    models_.choices.push_back({model, model});
  }
  add("question one");
  run_to_idle();
  first.answer_with([](const auto&) { return StandInServer::Reply{500, "application/json", "", "{}"}; });
  add("question two");
  run_to_idle();
  EXPECT_TRUE(second.asked().empty());
  EXPECT_THAT(worker_->progress().trouble, HasSubstr("status 500"));
  advance(11 * 60'000);
  run_to_idle();
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/second'"), 2) << "but for a long one";
}

}  // namespace
}  // namespace memd::test

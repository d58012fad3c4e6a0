// Enrichment by models served over HTTP, and searches while the models change.
#include "daemon/models/http_models.hpp"
#include "daemon/models/serving_index.hpp"
#include "test/daemon/enrichment_fixture.hpp"
#include "test/support/stand_in_server.hpp"

#include <gmock/gmock.h>

#include <set>
#include <thread>

namespace memd::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class RemoteEnrichmentTest : public EnrichmentFixture {
 protected:
  // Returns a model behind a server. Its back-off uses the test's clock.
  std::shared_ptr<embedding::HttpEmbedder> remote_model(StandInServer& server, const std::string& name) {
    embedding::RemoteModel m;
    m.model = name;
    m.base = http::parse_url(server.address()).value();
    m.batch_size = 4;
    provider::CircuitBreaker::Options back_off;
    back_off.now = [this] { return steady_now(); };
    back_off.chance = [] { return 1.0; };
    return std::make_shared<embedding::HttpEmbedder>(m, std::make_shared<http::Client>(), back_off);
  }
};

TEST_F(RemoteEnrichmentTest, AServerThatIsDownIsTriedAgainAndTermsDoNotWait) {
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

TEST_F(RemoteEnrichmentTest, WhatAServerHasAlreadyMadeIsNotAskedForAgain) {
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

TEST_F(RemoteEnrichmentTest, ARefusedTextDoesNotKeepTheOthersWithout) {
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

TEST_F(RemoteEnrichmentTest, AFallbackTakesTheirPlaceWhenTheFirstNeverWorked) {
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

  // The first model works again. It is tried with the next work after half an hour.
  down.answer_with([](const auto& a) { return good_answer(a); });
  advance(31 * 60'000);
  add("another question");
  run_to_idle();
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/first'"), 11);
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/second'"), 10) << "kept: it is configured";
}

TEST_F(RemoteEnrichmentTest, AModelThatWorkedIsNotGivenUpForAShortFailure) {
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

// builtin → a server's → builtin, while queries continue.
TEST_F(RemoteEnrichmentTest, SwitchingModelsNeverLeavesSearchesWithout) {
  StandInServer server([](const auto& a) { return good_answer(a, 12); });
  for (int i = 0; i < 40; ++i)
    add("question about " + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i));
  run_to_idle();

  std::atomic<bool> done{false};
  std::atomic<int> asked{0};
  std::atomic<int> empty{0};
  std::mutex models_mutex;
  const auto builtin = models_;
  embedding::Models far = builtin;
  auto model = remote_model(server, "far");
  far.choices = {{model, model}};
  embedding::Models current = builtin;
  embedding::ServingIndex searched(store_.file(), [&] {
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
  auto store = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_only);
  EXPECT_EQ(searched.state(store).model, "ollama/far");
  embedding::Models back = builtin;  // the other model stays configured as a fallback
  back.choices.push_back({model, model});
  switch_to(back);
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'builtin/letters'"), 40);
  EXPECT_EQ(count("SELECT exchanges FROM vector_models WHERE name = 'ollama/far'"), 40);
  while (asked < 50)
    std::this_thread::yield();
  done = true;
  asking.join();
  // The last vectors of a model may be removed between embedding a query and scanning, at most once per switch.
  EXPECT_LE(empty, 2);
}

}  // namespace
}  // namespace memd::test

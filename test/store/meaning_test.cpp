// Semantic search with the built-in model, from texts to hits.
#include "schemas/search.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/reader.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/search/vectors/semantic_index.hpp"
#include "store/search/vectors/vector_index.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/text/text_chunks.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>

namespace memd {
namespace {

class BuiltinIndex final : public search::SemanticIndex {
 public:
  Result<search::QueryVector> embed(std::string_view question, std::stop_token stop) override {
    const std::string_view texts[] = {question};
    auto vectors = embedding::builtin_embedder().embed(texts, embedding::Purpose::query, stop);
    if (!vectors) return std::move(vectors).error();
    return search::QueryVector{embedding::builtin_embedder().model().name, std::move(vectors->front())};
  }
  vectors::ScanResult scan(sqlite::Database& db, const search::QueryVector& question,
                           vectors::ScanRequest request) override {
    index_.refresh(db);
    request.query = question.vector;
    return index_.scan_all(db, {request}).front();
  }
  search::SemanticState state(sqlite::Database&) override { return {}; }

 private:
  vectors::VectorIndex index_{embedding::builtin_embedder().model().name};
};

class Meaning : public testing::Test {
 protected:
  Meaning() {
    const auto s = store_.session({.native_id = "aaaa1", .title = "Work"});
    for (const auto& [user, answer] : kTalk)
      add(s, user, answer);
  }

  void add(std::int64_t session, std::string user, std::string answer) {
    ExchangeRow exchange;
    exchange.user_message = user;
    exchange.assistant_response = answer;
    exchange.id = store_.exchange(session, {.user = std::move(user), .answer = std::move(answer)});
    const auto model = embedding::builtin_embedder().model();
    ExchangeVectors vectors{model.name, model.dimension, {}, {}};
    for (const auto& chunk : enrichment::chunks_of(exchange)) {
      const std::string_view texts[] = {chunk.text};
      const auto made = embedding::builtin_embedder().embed(texts, embedding::Purpose::document, {});
      vectors.chunk_hashes.push_back(chunk.hash);
      vectors::append_quantised(made->front(), vectors.vectors);
    }
    enrichment::save_vectors(store_.db(), exchange.id, vectors);
  }
  // Returns whether an exchange that contains `word` is among the first three hits.
  bool finds(std::string_view question, std::string_view word, SearchMode mode) {
    SearchQuery q;
    q.asked = search::parse_query(question);
    q.mode = mode;
    q.limit = 3;
    const auto answer = reader_.search(q);
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message());
    return answer && std::any_of(answer->hits.begin(), answer->hits.end(), [&](const SearchHit& hit) {
             return (hit.user_message + hit.assistant_response).find(word) != std::string::npos;
           });
  }

  inline static const std::vector<std::pair<std::string, std::string>> kTalk{
      {"The login page rejects valid passwords.", "The hash was compared with the wrong salt; fixed in auth.py."},
      {"Speed up the database query on orders.", "I added an index on customer_id, it takes 4 ms instead of 900."},
      {"Write the release notes for 2.4.", "Done, with the three breaking changes on top."},
      {"Why does the container run out of memory?", "The cache was unbounded. It now evicts the oldest entries."},
      {"Rename the button on the settings page.", "It says Save now."},
      {"Add retries to the payment webhook.", "Three attempts with exponential backoff."},
      {"The pipeline fails on the Windows runner.", "The script used a Unix shell; it is PowerShell there."},
      {"Translate the error messages to German.", "All 42 strings are translated."},
      {"Draw a chart of the temperature readings.", "A line plot, one colour a sensor."},
      {"Delete the unused images.", "Removed 17 files from assets."},
      {"Should we use Postgres or MySQL?", "We decided for Postgres because of its JSON support."},
      {"Make the map zoom with the wheel.", "Scrolling now zooms around the pointer."}};

  test::StoreFixture store_;
  Reader reader_{store_.file(), std::make_shared<BuiltinIndex>()};
};

TEST_F(Meaning, OtherWordsFindTheSameThing) {
  const std::vector<std::pair<std::string_view, std::string_view>> asked{
      {"users cannot sign in although their credentials are correct", "auth.py"},
      {"make SQL faster", "customer_id"},
      {"process killed because RAM was exhausted", "unbounded"},
      {"CI broken on Microsoft machines", "PowerShell"},
      {"which relational DB engine was chosen", "Postgres"},
      {"plot of sensors for weather degrees", "line plot"}};
  int by_words = 0;
  int found = 0;
  for (const auto& [question, word] : asked) {
    by_words += finds(question, word, SearchMode::lexical) ? 1 : 0;
    found += finds(question, word, SearchMode::hybrid) ? 1 : 0;
  }
  EXPECT_GE(found, 4);
  EXPECT_LT(by_words, found) << "else the questions are no test of meaning";
}

TEST_F(Meaning, AQuestionWithKanaIsAskedByWordsAlone) {
  const std::string_view texts[] = {"設定ファイルはどこ"};
  const auto vector_for = [&](embedding::Purpose purpose) {
    return embedding::builtin_embedder().embed(texts, purpose, {})->front();
  };
  EXPECT_THAT(vector_for(embedding::Purpose::query), testing::Each(0.F)) << "as if all its words were unknown";
  EXPECT_THAT(vector_for(embedding::Purpose::document), testing::Not(testing::Each(0.F)));
}

TEST_F(Meaning, ItsOwnWordsFindEachExchangeFirst) {
  for (const auto& [user, answer] : kTalk) {
    SearchQuery q;
    q.asked = search::parse_query(user);
    q.limit = 1;
    const auto found = reader_.search(q);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->hits.size(), 1U) << user;
    EXPECT_EQ(found->hits[0].user_message, user);
    EXPECT_EQ(found->hits[0].confidence, Confidence::high);
    EXPECT_FALSE(found->nothing_relevant);
  }
}

}  // namespace
}  // namespace memd

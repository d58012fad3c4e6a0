#include "daemon/models/embedding_models.hpp"
#include "daemon/models/http_models.hpp"
#include "schemas/base/error.hpp"
#include "test/support/stand_in_server.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <cstdlib>
#include <thread>

namespace memd::embedding {
namespace {

using namespace std::chrono_literals;
using test::good_answer;
using test::StandInServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Asked = StandInServer::Asked;
using Reply = StandInServer::Reply;
using Texts = std::vector<std::string_view>;

// An embedder behind a server that behaves as the test says. The clock of its back-off is fake.
class HttpEmbedderTest : public testing::Test {
 protected:
  HttpEmbedder& embedder() {
    if (!embedder_) {
      remote_.base = http::parse_url(server_.address() + base_path_).value();
      remote_.model = "m1";
      CircuitBreaker::Options back_off;
      back_off.now = [this] { return now_; };
      back_off.chance = [] { return 1.0; };
      embedder_ = std::make_unique<HttpEmbedder>(remote_, std::make_shared<http::Client>(), back_off);
    }
    return *embedder_;
  }
  std::string fails(Reply reply, Errc expected = Errc::protocol, const Texts& texts = {"a"}) {
    server_.answer_with([reply](const Asked&) { return reply; });
    const auto vectors = embedder().embed(texts, Purpose::document, {});
    if (vectors) return "it did not fail";
    EXPECT_TRUE(vectors.error().is(expected)) << vectors.error().message();
    EXPECT_THAT(vectors.error().context, AllOf(HasSubstr("m1"), HasSubstr(server_.address()))) << "names the provider";
    now_ += 1h;  // until the next attempt is allowed
    return vectors.error().context;
  }
  static Reply status(int code, std::string body = "{}", std::string headers = {}) {
    Reply r;
    r.status = code;
    r.body = std::move(body);
    r.headers = std::move(headers);
    return r;
  }
  static Reply body(std::string text) { return status(200, std::move(text)); }

  StandInServer server_{[](const Asked& asked) { return good_answer(asked); }};
  RemoteModel remote_;
  std::string base_path_;
  CircuitBreaker::Time now_{};
  std::unique_ptr<HttpEmbedder> embedder_;
};

TEST_F(HttpEmbedderTest, SpeaksOllama) {
  remote_.batch_size = 2;
  const auto vectors = embedder().embed(Texts{"one", "two", "three"}, Purpose::document, {});
  ASSERT_TRUE(vectors) << vectors.error().message();
  ASSERT_EQ(vectors->size(), 3u);
  EXPECT_EQ(embedder().model(), (ModelId{"ollama/m1", 8}));
  const auto asked = server_.asked();
  ASSERT_EQ(asked.size(), 2u) << "in batches";
  EXPECT_EQ(asked[0].path, "/api/embed");
  EXPECT_EQ(asked[1].body.at("input").as_array().size(), 1u);
  EXPECT_THAT(asked[0].head, Not(HasSubstr("Authorization")));
  double squares = 0;
  for (const float x : vectors->at(2))
    squares += static_cast<double>(x) * static_cast<double>(x);
  EXPECT_NEAR(squares, 1, 1e-5);
}

TEST_F(HttpEmbedderTest, BatchesAreBoundedInBytesToo) {
  remote_.batch_bytes = 10;
  const std::string large(11, 'x');
  ASSERT_TRUE(embedder().embed(Texts{"12345", "12345", "1", large}, Purpose::document, {}));
  std::vector<std::size_t> sizes;
  for (const auto& asked : server_.asked())
    sizes.push_back(asked.body.at("input").as_array().size());
  EXPECT_THAT(sizes, testing::ElementsAre(2, 1, 1));
}

TEST_F(HttpEmbedderTest, SpeaksOpenAiWithAKeyFromAFile) {
  const test::TempDir dir;
  const std::string file = (dir / "key").string();
  test::write_file(dir / "key", "sk-secret-1\n");
  ::chmod(file.c_str(), 0600);
  base_path_ = "/v1";
  remote_.dialect = embeddings_api::Dialect::openai;
  remote_.key.file = file;
  remote_.dimensions = 8;
  ASSERT_TRUE(embedder().embed(Texts{"one", "two"}, Purpose::document, {}));
  const auto asked = server_.asked().at(0);
  EXPECT_EQ(asked.path, "/v1/embeddings");
  EXPECT_THAT(asked.head, HasSubstr("Authorization: Bearer sk-secret-1\r\n"));
  EXPECT_EQ(asked.body.at("dimensions").as_int64(), 8);
  EXPECT_EQ(embedder().model().name, "openai/m1@8");

  const std::string said =
      fails(status(429, R"({"error":{"message":"key sk-secret-1 is out of quota"}})"), Errc::unavailable);
  EXPECT_THAT(said, AllOf(HasSubstr("out of quota"), Not(HasSubstr("secret"))));
  EXPECT_THAT(fails(status(401, R"({"error":{"message":"bad key sk-secret-1"}})"), Errc::unavailable),
              AllOf(HasSubstr("api_key_file"), Not(HasSubstr("secret"))));
  ::chmod(file.c_str(), 0644);
  const auto open_file = embedder().embed(Texts{"a"}, Purpose::document, {});
  ASSERT_FALSE(open_file);
  EXPECT_THAT(open_file.error().context, AllOf(HasSubstr("chmod 600"), Not(HasSubstr("secret"))));
}

TEST_F(HttpEmbedderTest, TellsSomeModelsWhatATextIsFor) {
  remote_.model = "nomic-embed-text";
  base_path_ = "";
  remote_.base = http::parse_url(server_.address()).value();
  HttpEmbedder nomic(remote_, std::make_shared<http::Client>());
  ASSERT_TRUE(nomic.embed(Texts{"q"}, Purpose::query, {}));
  ASSERT_TRUE(nomic.embed(Texts{"d"}, Purpose::document, {}));
  EXPECT_EQ(server_.asked()[0].body.at("input").at(0), "search_query: q");
  EXPECT_EQ(server_.asked()[1].body.at("input").at(0), "search_document: d");
}

TEST_F(HttpEmbedderTest, NonsenseIsRefusedByName) {
  Reply html = body("<html>login</html>");
  html.content_type = "text/html; charset=utf-8";
  EXPECT_THAT(fails(html), AllOf(HasSubstr("text/html instead of JSON"), HasSubstr("embedding.endpoint")));
  EXPECT_THAT(fails(body("<html>")), HasSubstr("not valid JSON"));
  EXPECT_THAT(fails(body(R"({"embeddings":[[1,NaN]]})")), HasSubstr("not valid JSON"));
  EXPECT_THAT(fails(body(R"({"embeddings":[[1,null]]})")), HasSubstr("not a number"));
  EXPECT_THAT(fails(body(R"({"embeddings":[[0,0]]})")), HasSubstr("all zero"));
  EXPECT_THAT(fails(body(R"({"embeddings":[]})")), HasSubstr("0 vectors for 1 texts"));
  EXPECT_THAT(fails(body(R"({"models":[]})")), HasSubstr("no list"));
  Reply not_http;
  not_http.raw = "SSH-2.0-OpenSSH_9.2\r\n";
  EXPECT_THAT(fails(not_http), HasSubstr("does not speak HTTP"));
}

TEST_F(HttpEmbedderTest, AnotherDimensionThanBeforeIsRefused) {
  embedder().expect_dimension(8);
  ASSERT_TRUE(embedder().embed(Texts{"a"}, Purpose::document, {}));
  server_.answer_with([](const Asked& asked) { return good_answer(asked, 4); });
  const auto other = embedder().embed(Texts{"a"}, Purpose::document, {});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().context, AllOf(HasSubstr("have 4 numbers, not 8"), HasSubstr("embedding.dimensions: 4")));
}

TEST_F(HttpEmbedderTest, ErrorStatusesSayWhatToDo) {
  EXPECT_THAT(fails(status(404, R"({"error":"model not found"})"), Errc::unavailable),
              AllOf(HasSubstr("model not found"), HasSubstr("ollama pull m1")));
  EXPECT_THAT(fails(status(500), Errc::unavailable), HasSubstr("status 500"));
  EXPECT_THAT(fails(status(307, "", "Location: http://elsewhere/\r\n")), HasSubstr("final address"));
  EXPECT_THAT(fails(status(400, R"({"error":"input too long"})"), Errc::invalid_argument),
              HasSubstr("refuses the text"));
}

TEST_F(HttpEmbedderTest, ReadsAnswersHoweverTheyAreFramed) {
  const std::string json = good_answer({"/api/embed", "", {{"input", boost::json::array{"a"}}}}).body;
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n";
  std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < json.size(); at += 9) {
    const std::string piece = json.substr(at, 9);
    chunked += std::to_string(piece.size()) + "\r\n" + piece + "\r\n";
  }
  chunked += "0\r\n\r\n";
  const std::string until_closed = head + "\r\n" + json;
  for (const std::string& raw : {chunked, until_closed}) {
    server_.answer_with([&raw](const Asked&) {
      Reply reply;
      reply.raw = raw;
      return reply;
    });
    const auto vectors = embedder().embed(Texts{"a"}, Purpose::document, {});
    EXPECT_TRUE(vectors) << vectors.error().message();
  }
}

TEST_F(HttpEmbedderTest, LooksUpTheNameOfAHost) {
  remote_.model = "m1";
  remote_.base = http::parse_url("http://localhost" + server_.address().substr(server_.address().rfind(':'))).value();
  HttpEmbedder named(remote_, std::make_shared<http::Client>());
  const auto vectors = named.embed(Texts{"a"}, Purpose::document, {});
  EXPECT_TRUE(vectors) << vectors.error().message();
}

TEST_F(HttpEmbedderTest, CutSlowAndEndlessAnswersEnd) {
  remote_.timeout = 1min;  // long enough not to end any of these on a busy machine
  Reply cut = body(R"({"embeddings":[[1,2]]})");
  cut.cut_after = 80;
  EXPECT_THAT(fails(cut, Errc::unavailable), HasSubstr("closed in the middle"));
  Reply endless = body(std::string(8 << 20, ' '));
  EXPECT_THAT(fails(endless), HasSubstr("larger than it can be"));
  Reply line;
  line.raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(1 << 20, '0');
  EXPECT_THAT(fails(line), HasSubstr("endless headers"));
  Reply closed;
  closed.raw = "H";
  closed.cut_after = 0;
  EXPECT_THAT(fails(closed, Errc::unavailable), HasSubstr("closed"));
  embedder_.reset();
  remote_.timeout = 300ms;
  Reply drip = body(std::string(10'000, ' '));
  drip.drip = true;
  EXPECT_THAT(fails(drip, Errc::unavailable), HasSubstr("no answer in time"));
  Reply hang;
  hang.hang = true;
  EXPECT_THAT(fails(hang, Errc::unavailable), HasSubstr("no answer in time"));
}

TEST_F(HttpEmbedderTest, QuestionsHaveATimeOfTheirOwnAndAreNotMadeToWaitByDocuments) {
  remote_.query_timeout = 100ms;
  server_.answer_with([](const Asked& asked) {
    Reply r = good_answer(asked);
    r.hang = true;
    return r;
  });
  const auto slow = embedder().embed(Texts{"q"}, Purpose::query, {});
  ASSERT_FALSE(slow);
  EXPECT_TRUE(slow.error().is(Errc::unavailable));
  server_.answer_with([](const Asked& asked) { return good_answer(asked); });
  const std::size_t asked = server_.asked().size();
  EXPECT_FALSE(embedder().embed(Texts{"q"}, Purpose::query, {})) << "left alone for a second";
  EXPECT_EQ(server_.asked().size(), asked) << "and not asked";
  EXPECT_TRUE(embedder().embed(Texts{"d"}, Purpose::document, {}));
  now_ += 1s;
  EXPECT_TRUE(embedder().embed(Texts{"q"}, Purpose::query, {}));
}

TEST_F(HttpEmbedderTest, ADeadServerIsLeftAloneLongerEachTime) {
  (void)embedder();
  server_.close();
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 12; ++i) {
    const auto refused = embedder().embed(Texts{"a"}, Purpose::document, {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().context, HasSubstr("is ollama running there?"));
    const auto open = embedder().left_alone();
    ASSERT_TRUE(open);
    waits.push_back(std::chrono::duration_cast<std::chrono::seconds>(open->until - now_).count());
    now_ = open->until;
  }
  EXPECT_THAT(waits, testing::ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300));
}

TEST_F(HttpEmbedderTest, OneThatAsksForTimeGetsIt) {
  server_.answer_with([](const Asked&) { return status(429, "{}", "Retry-After: 90\r\n"); });
  ASSERT_FALSE(embedder().embed(Texts{"a"}, Purpose::document, {}));
  EXPECT_EQ(embedder().left_alone()->until - now_, 90s);
}

TEST_F(HttpEmbedderTest, AStopEndsAWaitAtOnce) {
  server_.answer_with([](const Asked& asked) {
    Reply r = good_answer(asked);
    r.hang = true;
    return r;
  });
  std::stop_source stop;
  std::thread stopper([&] {
    while (server_.asked().empty())
      std::this_thread::yield();
    stop.request_stop();
  });
  const auto vectors = embedder().embed(Texts{"a"}, Purpose::document, stop.get_token());
  stopper.join();
  ASSERT_FALSE(vectors);
  EXPECT_TRUE(vectors.error().is(Errc::cancelled));
  EXPECT_FALSE(embedder().left_alone()) << "nothing is held against the server";
}

TEST_F(HttpEmbedderTest, WhatDoesNotSpeakTlsIsToldNothing) {
  remote_.base = http::parse_url("https" + server_.address().substr(4)).value();
  remote_.timeout = 300ms;
  HttpEmbedder secure(remote_, std::make_shared<http::Client>());
  const auto vectors = secure.embed(Texts{"a"}, Purpose::document, {});
  ASSERT_FALSE(vectors);
  EXPECT_TRUE(vectors.error().is(Errc::unavailable)) << vectors.error().message();
  EXPECT_TRUE(server_.asked().empty());
}

TEST(RetryAfter, SecondsOrADate) {
  constexpr TimeMs now = 1'770'616'800'000;  // 2026-02-09T06:00:00Z
  EXPECT_EQ(provider::parse_retry_after("120", now), 120s);
  EXPECT_EQ(provider::parse_retry_after("Mon, 09 Feb 2026 06:00:30 GMT", now), 30s);
  EXPECT_EQ(provider::parse_retry_after("Mon, 09 Feb 2026 05:00:00 GMT", now), 0s);
  EXPECT_EQ(provider::parse_retry_after("99999999999", now), 24h);
  for (const char* bad : {"", "-1", "soon", "12s"})
    EXPECT_EQ(provider::parse_retry_after(bad, now), std::nullopt) << bad;
}

TEST(PurposePrefix, ByTheNameOfTheModel) {
  using embedding::Purpose;
  EXPECT_EQ(embedding::purpose_prefix("nomic-embed-text:v1.5", Purpose::query), "search_query: ");
  EXPECT_EQ(embedding::purpose_prefix("intfloat/e5-large", Purpose::document), "passage: ");
  EXPECT_EQ(embedding::purpose_prefix("all-minilm", Purpose::query), "");
  EXPECT_EQ(embedding::purpose_prefix("code5-embed", Purpose::query), "");
}

TEST(Models, KeysAndAddressesStayWithTheirProvider) {
  EmbeddingConfig config;
  config.choice = {EmbeddingProvider::openai, "small"};
  config.endpoint = "https://example.org/v1";
  config.dimensions = 256;
  config.fallbacks = {
      {EmbeddingProvider::openai, "large"}, {EmbeddingProvider::ollama, "nomic"}, {EmbeddingProvider::builtin, ""}};
  const auto models = embedding::make_models(config);
  const auto builtin = models->builtin->model().name;
  EXPECT_THAT(models->names(), testing::ElementsAre("openai/small@256", "openai/large@256", "ollama/nomic", builtin));
  EXPECT_EQ(models->choices[3].remote, nullptr);
  EXPECT_NE(models->find("ollama/nomic"), nullptr);
  EXPECT_EQ(models->find("ollama/other"), nullptr);
  config.choice.provider = EmbeddingProvider::disabled;
  EXPECT_TRUE(embedding::make_models(config)->choices.empty());
}

}  // namespace
}  // namespace memd::embedding

#include "daemon/models/http_models.hpp"
#include "schemas/base/error.hpp"
#include "test/support/stand_in_server.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <thread>

namespace memd::llm {
namespace {

using namespace std::chrono_literals;
using test::StandInServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Asked = StandInServer::Asked;
using Reply = StandInServer::Reply;

Reply body(std::string text, int status = 200, std::string headers = {}) {
  Reply r;
  r.status = status;
  r.headers = std::move(headers);
  r.body = std::move(text);
  return r;
}

Reply good(const Asked& asked) {
  return body(asked.path.ends_with("/api/chat")
                  ? R"({"model":"m1","message":{"content":"It works."},"done":true,"eval_count":3})"
                  : R"({"model":"m1","choices":[{"message":{"content":"It works."},"finish_reason":"stop"}]})");
}

// A language model behind a server that behaves as the test says. The clock of its back-off is fake.
class HttpLanguageModelTest : public testing::Test {
 protected:
  HttpLanguageModel& model() {
    if (!model_) {
      remote_.base = http::parse_url(server_.address() + base_path_).value();
      remote_.model = "m1";
      remote_.key.section = "summaries";
      provider::CircuitBreaker::Options back_off;
      back_off.now = [this] { return now_; };
      back_off.chance = [] { return 1.0; };
      model_ = std::make_unique<HttpLanguageModel>(remote_, std::make_shared<http::Client>(), back_off);
    }
    return *model_;
  }
  Result<std::vector<Completion>> ask(std::stop_token stop = {}) {
    const std::vector<CompletionRequest> requests{{"Be brief.", "What is wrong?", 100}};
    return model().complete(requests, std::move(stop));
  }
  std::string fails(Reply reply, Errc expected = Errc::protocol) {
    server_.answer_with([reply](const Asked&) { return reply; });
    const auto out = ask();
    if (out) return "it did not fail";
    EXPECT_TRUE(out.error().is(expected)) << out.error().message();
    EXPECT_THAT(out.error().context, AllOf(HasSubstr("m1"), HasSubstr(server_.address()))) << "names the provider";
    now_ += 1h;  // until the next attempt is allowed
    return out.error().context;
  }

  StandInServer server_{good};
  RemoteLanguageModel remote_;
  std::string base_path_;
  provider::CircuitBreaker::Time now_{};
  std::unique_ptr<HttpLanguageModel> model_;
};

TEST_F(HttpLanguageModelTest, SpeaksOllama) {
  remote_.context_tokens = 5000;
  const auto out = ask();
  ASSERT_TRUE(out) << out.error().message();
  EXPECT_EQ(out->at(0).text, "It works.");
  EXPECT_EQ(out->at(0).tokens_out, 3);
  EXPECT_EQ(model().name(), "ollama/m1");
  const auto asked = server_.asked().at(0);
  EXPECT_EQ(asked.path, "/api/chat");
  EXPECT_FALSE(asked.body.at("stream").as_bool());
  EXPECT_EQ(asked.body.at("options").at("num_ctx").as_int64(), 5000);
  EXPECT_THAT(asked.head, Not(HasSubstr("Authorization")));
}

TEST_F(HttpLanguageModelTest, SpeaksOpenAiWithAKeyThatIsTold) {
  const test::TempDir dir;
  test::write_file(dir / "key", "sk-secret-1\n");
  ::chmod((dir / "key").c_str(), 0600);
  base_path_ = "/v1";
  remote_.dialect = model_api::Dialect::openai;
  remote_.key.file = dir / "key";
  ASSERT_TRUE(ask());
  const auto asked = server_.asked().at(0);
  EXPECT_EQ(asked.path, "/v1/chat/completions");
  EXPECT_THAT(asked.head, HasSubstr("Authorization: Bearer sk-secret-1\r\n"));
  EXPECT_THAT(fails(body(R"({"error":{"message":"key sk-secret-1 is out of quota"}})", 429), Errc::unavailable),
              AllOf(HasSubstr("out of quota"), Not(HasSubstr("secret"))));
  EXPECT_THAT(fails(body(R"({"error":{"message":"bad key sk-secret-1"}})", 401), Errc::unavailable),
              AllOf(HasSubstr("summaries.api_key_env"), Not(HasSubstr("secret"))));
  ::chmod((dir / "key").c_str(), 0644);
  const auto open_file = ask();
  ASSERT_FALSE(open_file);
  EXPECT_THAT(open_file.error().context, AllOf(HasSubstr("summaries.api_key_file"), HasSubstr("chmod 600")));
}

TEST_F(HttpLanguageModelTest, NonsenseIsRefusedByName) {
  Reply html = body("<html>login</html>");
  html.content_type = "text/html; charset=utf-8";
  EXPECT_THAT(fails(html), AllOf(HasSubstr("text/html instead of JSON"), HasSubstr("summaries.endpoint")));
  EXPECT_THAT(fails(body("<html>")), HasSubstr("not valid JSON"));
  EXPECT_THAT(fails(body("")), HasSubstr("not valid JSON"));
  EXPECT_THAT(fails(body(R"({"embeddings":[[1]]})")), AllOf(HasSubstr("no message"), HasSubstr("that chats")));
  EXPECT_THAT(fails(body(R"({"message":{"content":""}})")), HasSubstr("empty"));
  Reply not_http;
  not_http.raw = "SSH-2.0-OpenSSH_9.2\r\n";
  EXPECT_THAT(fails(not_http), HasSubstr("does not speak HTTP"));
}

TEST_F(HttpLanguageModelTest, ErrorStatusesSayWhatToDo) {
  EXPECT_THAT(fails(body(R"({"error":"model not found"})", 404), Errc::unavailable),
              AllOf(HasSubstr("model not found"), HasSubstr("ollama pull m1")));
  EXPECT_THAT(fails(body("{}", 500), Errc::unavailable), HasSubstr("status 500"));
  EXPECT_THAT(fails(body(R"({"error":"no template for: password=hunter2-and-more"})", 500), Errc::unavailable),
              AllOf(HasSubstr("no template"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(fails(body("", 307, "Location: http://elsewhere/\r\n")), HasSubstr("summaries.endpoint"));
  EXPECT_THAT(fails(body(R"({"error":"context too long"})", 400), Errc::invalid_argument), HasSubstr("too long"));
}

TEST_F(HttpLanguageModelTest, CutSlowAndEndlessAnswersEnd) {
  remote_.timeout = 1min;  // long enough not to end any of these on a busy machine
  Reply cut = good({});
  cut.cut_after = 90;
  EXPECT_THAT(fails(cut, Errc::unavailable), HasSubstr("closed in the middle"));
  EXPECT_THAT(fails(body(std::string(4 << 20, ' '))), HasSubstr("larger than it can be"));
  model_.reset();
  remote_.timeout = 300ms;
  Reply drip = body(std::string(10'000, ' '));
  drip.drip = true;
  EXPECT_THAT(fails(drip, Errc::unavailable), HasSubstr("no answer in time"));
  Reply hang;
  hang.hang = true;
  EXPECT_THAT(fails(hang, Errc::unavailable), HasSubstr("no answer in time"));
}

TEST_F(HttpLanguageModelTest, ADeadOneIsLeftAlone) {
  (void)model();
  server_.close();
  EXPECT_THAT(ask().error().context, HasSubstr("is ollama running there?"));
  ASSERT_TRUE(model().left_alone());
  EXPECT_EQ(model().left_alone()->until - now_, 1s);
  EXPECT_FALSE(ask());
  EXPECT_EQ(model().left_alone()->until - now_, 1s) << "it was not asked again";
}

TEST_F(HttpLanguageModelTest, OneThatAsksForTimeGetsItAndComesBack) {
  server_.answer_with([](const Asked&) { return body("{}", 429, "Retry-After: 90\r\n"); });
  ASSERT_FALSE(ask());
  EXPECT_EQ(model().left_alone()->until - now_, 90s);
  server_.answer_with(good);
  EXPECT_FALSE(ask());
  EXPECT_EQ(server_.asked().size(), 1u);
  now_ += 90s;
  EXPECT_TRUE(ask());
  EXPECT_FALSE(model().left_alone());
}

TEST_F(HttpLanguageModelTest, AStopEndsAWaitAtOnce) {
  Reply hang;
  hang.hang = true;
  server_.answer_with([hang](const Asked&) { return hang; });
  std::stop_source stop;
  std::jthread stopper([&] {
    while (server_.asked().empty())
      std::this_thread::yield();
    stop.request_stop();
  });
  const auto out = ask(stop.get_token());
  ASSERT_FALSE(out);
  EXPECT_TRUE(out.error().is(Errc::cancelled));
  EXPECT_FALSE(model().left_alone()) << "nothing is held against the server";
}

}  // namespace
}  // namespace memd::llm

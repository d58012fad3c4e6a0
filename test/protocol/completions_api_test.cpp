#include "protocol/models/model_api.hpp"
#include "schemas/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::completions_api {
namespace {

using testing::HasSubstr;

CompletionRequest request() { return {"Be brief.", "Say \"hi\"\n", 50}; }

std::string complaint(Dialect dialect, std::string_view body) {
  const auto answer = parse_answer(dialect, body);
  if (answer) return "no complaint";
  EXPECT_TRUE(answer.error().is(Errc::protocol));
  return answer.error().context;
}

TEST(CompletionsApi, AsksOllama) {
  EXPECT_EQ(path_of(Dialect::ollama), "/api/chat");
  EXPECT_EQ(request_body(Dialect::ollama, "m", request(), {4096, false}),
            R"({"model":"m","messages":[{"role":"system","content":"Be brief."},)"
            R"({"role":"user","content":"Say \"hi\"\n"}],"stream":false,"think":false,)"
            R"("options":{"num_predict":50,"num_ctx":4096,"temperature":0}})");
}

TEST(CompletionsApi, AsksServersThatSpeakOpenAi) {
  EXPECT_EQ(path_of(Dialect::openai), "/chat/completions");
  EXPECT_EQ(request_body(Dialect::openai, "m", {"", "Hi", 50}, {}),
            R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":false,"max_tokens":50,)"
            R"("temperature":0})");
  EXPECT_EQ(request_body(Dialect::openai, "m", {"", "Hi", 50}, {4096, true}),
            R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":false,"max_completion_tokens":4146})");
}

TEST(CompletionsApi, ReadsAnswers) {
  const auto ollama = parse_answer(Dialect::ollama,
                                   R"({"model":"m:8b","message":{"role":"assistant","content":"It works."},"done":true,
                                       "done_reason":"length","prompt_eval_count":12,"eval_count":3})");
  ASSERT_TRUE(ollama) << ollama.error().message();
  EXPECT_EQ(ollama->text, "It works.");
  EXPECT_EQ(ollama->model, "m:8b");
  EXPECT_TRUE(ollama->truncated);
  EXPECT_EQ(ollama->tokens_in, 12);
  EXPECT_EQ(ollama->tokens_out, 3);

  const auto openai = parse_answer(Dialect::openai,
                                   R"({"model":"m","choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}],
                                       "usage":{"prompt_tokens":7,"completion_tokens":2}})");
  ASSERT_TRUE(openai) << openai.error().message();
  EXPECT_EQ(openai->text, "Yes.");
  EXPECT_FALSE(openai->truncated);
  EXPECT_EQ(openai->tokens_in, 7);
}

TEST(CompletionsApi, CountsThatAreNoneAreLeftOut) {
  const auto answer = parse_answer(Dialect::openai,
                                   R"({"choices":[{"message":{"content":"Yes."}}],
                                       "usage":{"prompt_tokens":"many","completion_tokens":-5}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->tokens_in, 0);
  EXPECT_EQ(answer->tokens_out, 0);
}

TEST(CompletionsApi, NonsenseIsRefused) {
  for (const auto dialect : {Dialect::ollama, Dialect::openai}) {
    EXPECT_THAT(complaint(dialect, "<html>"), HasSubstr("not valid JSON"));
    EXPECT_THAT(complaint(dialect, ""), HasSubstr("not valid JSON"));
    EXPECT_THAT(complaint(dialect, "[]"), HasSubstr("no "));
    EXPECT_THAT(complaint(dialect, R"({"choices":7,"message":7})"), HasSubstr("no "));
  }
  EXPECT_THAT(complaint(Dialect::ollama, R"({"message":{"content":" \n"}})"), HasSubstr("empty"));
  EXPECT_THAT(complaint(Dialect::ollama, R"({"message":{"content":[1]}})"), HasSubstr("no text"));
  EXPECT_THAT(complaint(Dialect::ollama, R"({"message":{"content":"Th"},"done":false})"), HasSubstr("only a part"));
  EXPECT_THAT(complaint(Dialect::openai, R"({"choices":[]})"), HasSubstr("no list"));
  EXPECT_THAT(complaint(Dialect::openai, R"({"choices":[{"message":{"content":null,"refusal":"I can't"}}]})"),
              HasSubstr("declines"));
  EXPECT_THAT(complaint(Dialect::openai, R"({"choices":[{"message":{"content":null}}]})"), HasSubstr("empty"));
}

}  // namespace
}  // namespace memd::completions_api

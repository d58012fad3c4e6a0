#include "protocol/models/model_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <cmath>

namespace memd::embeddings_api {
namespace {

using testing::HasSubstr;

std::string problem(Dialect dialect, std::string_view body, std::size_t texts = 1) {
  const auto answer = parse_answer(dialect, body, texts);
  return answer ? "" : answer.error().context;
}

TEST(EmbeddingsApi, AsksForAllTextsAtOnce) {
  const std::vector<std::string_view> texts{"a \"b\"", "\xff"};
  const auto body = boost::json::parse(request_body(Dialect::openai, "m", texts, 256));
  EXPECT_EQ(body, boost::json::parse(R"({"model":"m","input":["a \"b\"","\uFFFD"],"dimensions":256})"));
  EXPECT_EQ(path_of(Dialect::ollama), "/api/embed");
  EXPECT_EQ(path_of(Dialect::openai), "/embeddings");
}

TEST(EmbeddingsApi, GivesUnitVectorsInTheOrderOfTheTexts) {
  const auto ollama = parse_answer(Dialect::ollama, R"({"embeddings":[[3,4],[0,-2]],"model":"m"})", 2);
  ASSERT_TRUE(ollama) << ollama.error().message();
  EXPECT_FLOAT_EQ((*ollama)[0][0], 0.6F);
  EXPECT_FLOAT_EQ((*ollama)[1][1], -1.0F);
  const auto openai = parse_answer(
      Dialect::openai, R"({"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}],"usage":{}})", 2);
  ASSERT_TRUE(openai) << openai.error().message();
  EXPECT_FLOAT_EQ((*openai)[0][0], 1.0F);
  EXPECT_FLOAT_EQ((*openai)[1][1], 1.0F);
}

TEST(EmbeddingsApi, BelievesNothingUnchecked) {
  EXPECT_THAT(problem(Dialect::ollama, "<html>"), HasSubstr("not valid JSON"));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embeddings":[[1,NaN]]})"), HasSubstr("not valid JSON"));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embeddings":[[1,2]]})", 2), HasSubstr("1 vectors for 2 texts"));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embeddings":[[1,null]]})"), HasSubstr("not a number"));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embeddings":[[1,1e400]]})"), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embeddings":[[1,1e39]]})"), HasSubstr("not finite"));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embeddings":[[0,0]]})"), HasSubstr("all zero"));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embeddings":[[]]})"), HasSubstr("not a list of numbers"));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embeddings":[[1,2],[1,2,3]]})", 2), HasSubstr("mixes vectors of 2"));
  EXPECT_THAT(problem(Dialect::ollama, R"({"embedding":[1,2]})"), HasSubstr("no list \"embeddings\""));
  EXPECT_THAT(problem(Dialect::openai, "[]"), HasSubstr("no list \"data\""));
  EXPECT_THAT(problem(Dialect::openai, R"({"data":[{"index":7,"embedding":[1]}]})"), HasSubstr("not asked for"));
  EXPECT_THAT(problem(Dialect::openai, R"({"data":[{"index":-1,"embedding":[1]}]})"), HasSubstr("not asked for"));
  EXPECT_THAT(problem(Dialect::openai, R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})", 2),
              HasSubstr("two vectors for one text"));
  EXPECT_THAT(problem(Dialect::openai, R"({"data":[{"index":0,"embedding":"AAAA"}]})"), HasSubstr("not a list"));
}

TEST(EmbeddingsApi, ComplaintsAreShortAndOnOneLine) {
  EXPECT_EQ(model_api::parse_error_message(R"({"error":"model \"x\" not found"})"), "model \"x\" not found");
  EXPECT_EQ(model_api::parse_error_message(R"({"error":{"message":"too\n\tlong","type":"t"}})"), "too long");
  EXPECT_EQ(model_api::parse_error_message(R"({"detail":[1]})"), "");
  EXPECT_EQ(model_api::parse_error_message("<h1>502</h1>"), "");
  std::string long_text(199, 'a');
  const std::string cut = model_api::parse_error_message(R"({"message":")" + long_text + "ää" + R"("})");
  EXPECT_EQ(cut, long_text + "…") << "not in the middle of a character";
}

}  // namespace
}  // namespace memd::embeddings_api

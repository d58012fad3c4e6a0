#include "protocol/models/decision_answer.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

TEST(DecisionAnswer, IsReadWithTextAroundIt) {
  const auto a = decisions_api::parse_answer(
      "Here you are:\n```json\n{\"decisions\": [{\"sentence\": \"Use X.\", \"by\": \"person\", \"kind\": \"rejection\","
      " \"why\": 7}, {\"sentence\": \"Y\", \"by\": \"nobody\"}, 3]}\n```");
  ASSERT_TRUE(a) << a.error().message();
  ASSERT_EQ(a->decisions.size(), 1u);
  EXPECT_EQ(a->decisions[0].sentence, "Use X.");
  EXPECT_EQ(a->decisions[0].kind, DecisionKind::rejection);
  EXPECT_EQ(a->decisions[0].by, DecidedBy::user);
  EXPECT_EQ(a->decisions[0].reason, "");
  EXPECT_EQ(a->unusable, 2u);
}

TEST(DecisionAnswer, WithoutAListItIsRefused) {
  for (const char* text : {"", "none", "}{", "{", "{\"decisions\": 1}", "{\"decisions\": [", "[1]", "{\"other\": []}"})
    EXPECT_FALSE(decisions_api::parse_answer(text)) << text;
  EXPECT_TRUE(decisions_api::parse_answer("{\"decisions\": []}"));
  EXPECT_FALSE(decisions_api::parse_answer(std::string(100'000, '{') + "}")) << "deep";
}

}  // namespace
}  // namespace memd

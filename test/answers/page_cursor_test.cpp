#include "daemon/tools/answer.hpp"

#include <gtest/gtest.h>

namespace memd::tools {
namespace {

TEST(PageCursor, ComesBackAsItWent) {
  const auto question = question_key({"tool", "words"});
  for (const PageCursor c : {PageCursor{0, 0}, PageCursor{20, 0}, PageCursor{3, 123456}}) {
    const auto back = decode_cursor(encode_cursor(c, question), question);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, c);
  }
  EXPECT_EQ(*decode_cursor(std::nullopt, question), PageCursor{});
  EXPECT_EQ(*decode_cursor("", question), PageCursor{});
}

TEST(PageCursor, OfAnotherQuestionOrDamagedIsRefused) {
  const auto question = question_key({"tool", "words"});
  const std::string good = encode_cursor({7, 1}, question);
  EXPECT_FALSE(decode_cursor(good, question_key({"tool", "other words"})));
  EXPECT_FALSE(decode_cursor(good, question_key({"toolwords"})));
  const std::vector<std::string> damaged{
      good + "0", "p", "p-1.0." + good.substr(5), "7.1", good.substr(1), "p99999999999999999999.0.0", "p1e3.0.0"};
  for (const std::string& bad : damaged)
    EXPECT_FALSE(decode_cursor(bad, question)) << bad;
}

}  // namespace
}  // namespace memd::tools

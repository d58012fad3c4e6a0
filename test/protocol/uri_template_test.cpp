#include "protocol/mcp/offers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::mcp {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(UriTemplates, MatchAndDecode) {
  const UriTemplate recent("memd://project/{key}/recent");
  const auto values = recent.match("memd://project/%2Fhome%2Fa%20b/recent");
  ASSERT_TRUE(values);
  EXPECT_THAT(*values, ElementsAre(Pair("key", "/home/a b")));
  EXPECT_THAT(*recent.match("memd://project//home/ada/recent"), ElementsAre(Pair("key", "/home/ada")))
      << "clients that do not encode";
  for (const auto* other : {"memd://project//recent", "memd://project/x", "memd://project/x/recent/", "memd://x",
                            "memd://project/%4/recent", "memd://project/%g0/recent", ""})
    EXPECT_FALSE(recent.match(other)) << other;
}

TEST(UriTemplates, TwoVariables) {
  const UriTemplate two("x://{a}/{b}");
  EXPECT_THAT(*two.match("x://1/2/3"), ElementsAre(Pair("a", "1"), Pair("b", "2/3")));
  EXPECT_FALSE(two.match("x://1"));
  EXPECT_FALSE(two.match("x:///2"));
}

TEST(UriTemplates, BadOnesAreRefusedAtStartUp) {
  EXPECT_THROW(UriTemplate("x://{a"), ErrorException);
  EXPECT_THROW(UriTemplate("x://{}"), ErrorException);
  EXPECT_THROW(UriTemplate("x://{a}{b}"), ErrorException);
}

TEST(UriTemplates, EncodingGoesBothWays) {
  const std::string text = "claude_code:a/b c%\xC3\xA9~";
  EXPECT_EQ(percent_encoded("a:b/c"), "a%3Ab%2Fc");
  EXPECT_EQ(percent_decoded(percent_encoded(text)), text);
}

}  // namespace
}  // namespace memd::mcp

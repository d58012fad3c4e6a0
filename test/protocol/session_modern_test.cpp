#include "test/protocol/session_fixture.hpp"

namespace memd::test {
namespace {

using testing::HasSubstr;

constexpr const char* kServerInfo = "io.modelcontextprotocol/serverInfo";
constexpr const char* kSubscription = "io.modelcontextprotocol/subscriptionId";

class Modern : public SessionTest {
 protected:
  void modern(std::string_view id, std::string_view method, std::string_view more = "") {
    request(id, method, "{" + kModernMeta + (more.empty() ? "" : ",") + std::string(more) + "}");
  }
};

TEST_F(Modern, Discover) {
  modern("1", "server/discover");
  const auto result = take_one().at("result").as_object();
  EXPECT_EQ(result.at("resultType").as_string(), "complete");
  EXPECT_EQ(result.at("supportedVersions").as_array().at(0).as_string(), "2026-07-28");
  EXPECT_EQ(result.at("supportedVersions").as_array().size(), 1U);
  EXPECT_TRUE(result.at("capabilities").as_object().contains("tools"));
  EXPECT_EQ(result.at("instructions").as_string(), "Ask recent_turns first.");
  EXPECT_EQ(result.at("ttlMs").as_int64(), 0);
  EXPECT_EQ(result.at("cacheScope").as_string(), "private");
  EXPECT_EQ(result.at("_meta").at(kServerInfo).at("name").as_string(), "memd");
}

TEST_F(Modern, MetaIsChecked) {
  request("1", "server/discover");
  EXPECT_EQ(take_error_code(), -32602);
  request("2", "server/discover", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
  EXPECT_EQ(take_error_code(), -32602);
  request("3", "server/discover",
          R"({"_meta":{"io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}}})");
  EXPECT_EQ(take_error_code(), -32602);
  request("4", "tools/list",
          R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01",)"
          R"("io.modelcontextprotocol/clientCapabilities":{}}})");
  const auto error = take_one().at("error").as_object();
  EXPECT_EQ(error.at("code").as_int64(), -32022);
  EXPECT_EQ(error.at("data").at("supported").at(0).as_string(), "2026-07-28");
  EXPECT_EQ(error.at("data").at("requested").as_string(), "2027-01-01");
}

TEST_F(Modern, WhatTheEraDroppedIsUnknown) {
  for (const auto* method : {"ping", "logging/setLevel", "resources/subscribe", "resources/list", "prompts/list"}) {
    modern("1", method);
    EXPECT_EQ(take_error_code(), -32601) << method;
  }
}

TEST_F(Modern, ToolListIsCacheable) {
  modern("1", "tools/list");
  const auto result = take_one().at("result").as_object();
  EXPECT_EQ(result.at("resultType").as_string(), "complete");
  EXPECT_GE(result.at("ttlMs").as_int64(), 0);
  EXPECT_EQ(result.at("cacheScope").as_string(), "private");
  EXPECT_EQ(result.at("tools").as_array().size(), 5U);
}

TEST_F(Modern, CallNeedsNoHandshake) {
  modern("1", "tools/call", R"("name":"quick","arguments":{"text":"x"})");
  const auto result = take_one().at("result").as_object();
  EXPECT_EQ(result.at("resultType").as_string(), "complete");
  EXPECT_EQ(result.at("structuredContent").at("text").as_string(), "x");
  EXPECT_EQ(result.at("_meta").at(kServerInfo).at("version").as_string(), "0.1.0");
}

TEST_F(Modern, InitializeAfterDiscoverAndBothErasOnOneConnection) {
  modern("1", "server/discover");
  take_one();
  request("2", "initialize", R"({"protocolVersion":"2025-06-18"})");
  EXPECT_EQ(take_one().at("result").at("protocolVersion").as_string(), "2025-06-18");
  request("3", "tools/list");
  EXPECT_FALSE(take_one().at("result").as_object().contains("resultType"));
  modern("4", "tools/list");
  EXPECT_TRUE(take_one().at("result").as_object().contains("resultType"));
}

TEST_F(Modern, ListenIsAcknowledgedWithWhatIsOffered) {
  modern(R"("s1")", "subscriptions/listen",
         R"("notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a"]})");
  const auto ack = take_one();
  EXPECT_EQ(ack.at("method").as_string(), "notifications/subscriptions/acknowledged");
  EXPECT_TRUE(ack.at("params").at("notifications").as_object().empty());
  EXPECT_EQ(ack.at("params").at("_meta").at(kSubscription).as_string(), "s1");
}

TEST_F(Modern, ListenWithoutFilterIsRefused) {
  modern("1", "subscriptions/listen");
  EXPECT_EQ(take_error_code(), -32602);
}

TEST_F(Modern, ACancelledSubscriptionIsSilent) {
  modern("1", "subscriptions/listen", R"("notifications":{})");
  take_one();
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  session->stop();
  steps.run_all();
  EXPECT_TRUE(take().empty());
}

TEST_F(Modern, TeardownSendsTheResultAndTheCancellation) {
  modern("1", "subscriptions/listen", R"("notifications":{})");
  take_one();
  session->stop();
  steps.run_all();
  const auto lines = take();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(parse(lines[0]).at("method").as_string(), "notifications/cancelled");
  EXPECT_EQ(parse(lines[0]).at("params").at("requestId").as_int64(), 1);
  EXPECT_EQ(parse(lines[1]).at("id").as_int64(), 1);
  EXPECT_EQ(parse(lines[1]).at("result").at("_meta").at(kSubscription).as_int64(), 1);
  EXPECT_TRUE(finished);
}

TEST_F(Modern, SubscriptionsAreBounded) {
  limits.max_subscriptions = 2;
  for (const auto* id : {"1", "2"})
    modern(id, "subscriptions/listen", R"("notifications":{})");
  take();
  modern("3", "subscriptions/listen", R"("notifications":{})");
  EXPECT_EQ(take_error_code(), -32600);
}

}  // namespace
}  // namespace memd::test

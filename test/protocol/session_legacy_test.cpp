#include "test/protocol/session_fixture.hpp"

namespace memd::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Legacy : public SessionTest {};

TEST_F(Legacy, EveryRevisionIsEchoed) {
  for (const auto* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    request("1", "initialize", std::string(R"({"protocolVersion":")") + version + R"("})");
    const auto result = take_one().at("result").as_object();
    EXPECT_EQ(result.at("protocolVersion").as_string(), version);
    EXPECT_EQ(result.at("serverInfo").at("name").as_string(), "memd");
    EXPECT_EQ(result.at("instructions").as_string(), "Ask recent_turns first.");
    EXPECT_TRUE(result.at("capabilities").as_object().contains("tools"));
    EXPECT_EQ(result.at("serverInfo").as_object().contains("title"), std::string_view(version) >= "2025-06-18");
  }
}

TEST_F(Legacy, AnUnknownRevisionGetsOurLatest) {
  for (const auto* params : {R"({"protocolVersion":"1999-01-01"})", R"({"protocolVersion":"2026-07-28"})",
                             R"({"protocolVersion":5})", "{}"}) {
    request("1", "initialize", params);
    EXPECT_EQ(take_one().at("result").at("protocolVersion").as_string(), "2025-11-25") << params;
  }
}

TEST_F(Legacy, NothingButPingBeforeInitialize) {
  request("1", "ping");
  EXPECT_TRUE(take_one().at("result").as_object().empty());
  request("2", "tools/list");
  EXPECT_EQ(take_error_code(), -32602);
}

TEST_F(Legacy, ToolListShowsWhatTheRevisionHas) {
  struct Case {
    const char* version;
    bool annotations, output_schema;
  };
  for (const Case c : {Case{"2024-11-05", false, false},
                       {"2025-03-26", true, false},
                       {"2025-06-18", true, true},
                       {"2025-11-25", true, true}}) {
    initialize(c.version);
    request("1", "tools/list");
    const auto result = take_one().at("result").as_object();
    const auto& tools = result.at("tools").as_array();
    ASSERT_EQ(tools.size(), 5U);
    const auto& first = tools[0].as_object();
    EXPECT_EQ(first.at("name").as_string(), "echo");
    EXPECT_EQ(first.at("inputSchema").at("type").as_string(), "object");
    EXPECT_EQ(first.contains("annotations"), c.annotations) << c.version;
    EXPECT_EQ(first.contains("outputSchema"), c.output_schema) << c.version;
    EXPECT_EQ(first.contains("title"), c.output_schema) << c.version;
    EXPECT_FALSE(result.contains("resultType"));
    EXPECT_FALSE(result.contains("nextCursor"));
    if (!c.annotations) continue;
    for (const auto* hint : {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
      EXPECT_TRUE(first.at("annotations").as_object().contains(hint)) << hint;
  }
}

TEST_F(Legacy, ACursorWasNeverHandedOut) {
  initialize("2025-11-25");
  request("1", "tools/list", R"({"cursor":"abc"})");
  EXPECT_EQ(take_error_code(), -32602);
}

TEST_F(Legacy, StructuredContentFrom20250618On) {
  for (const auto* version : {"2025-03-26", "2025-06-18"}) {
    initialize(version);
    request("1", "tools/call", R"({"name":"echo","arguments":{"text":"hi","times":2}})");
    steps.run_all();
    const auto result = take_one().at("result").as_object();
    EXPECT_EQ(result.at("content").at(0).at("text").as_string(), "echo: hihi");
    EXPECT_FALSE(result.at("isError").as_bool());
    const bool structured = std::string_view(version) >= "2025-06-18";
    ASSERT_EQ(result.contains("structuredContent"), structured);
    if (!structured) continue;
    EXPECT_EQ(result.at("structuredContent").at("text").as_string(), "hihi");
  }
}

TEST_F(Legacy, ClientsThatAskForWhatIsNotOfferedGetEmptyLists) {
  initialize("2025-06-18");
  request("1", "resources/list");
  EXPECT_TRUE(take_one().at("result").at("resources").as_array().empty());
  request("2", "resources/templates/list");
  EXPECT_TRUE(take_one().at("result").at("resourceTemplates").as_array().empty());
  request("3", "prompts/list");
  EXPECT_TRUE(take_one().at("result").at("prompts").as_array().empty());
  request("4", "completion/complete");
  EXPECT_EQ(take_error_code(), -32601);
}

TEST_F(Legacy, BatchesInTheOneRevisionThatHasThem) {
  initialize("2025-03-26");
  send(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}},)"
       R"({"jsonrpc":"2.0","method":"notifications/whatever"},{"jsonrpc":"2.0","id":2,"method":"ping"},7])");
  EXPECT_TRUE(take().empty()) << "the batch is answered as a whole";
  steps.run_all();
  const auto lines = take();
  ASSERT_EQ(lines.size(), 1U);
  const auto answers = parse(lines[0]).as_array();
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].at("id").as_int64(), 2);
  EXPECT_EQ(answers[1].at("error").at("code").as_int64(), -32600);
  EXPECT_EQ(answers[2].at("id").as_int64(), 1);

  send(R"([{"jsonrpc":"2.0","method":"notifications/whatever"}])");
  EXPECT_TRUE(take().empty());
}

TEST_F(Legacy, BatchesAreRefusedElsewhere) {
  const auto* batch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])";
  send(batch);
  EXPECT_EQ(take_error_code(), -32600);
  for (const auto* version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    initialize(version);
    send(batch);
    EXPECT_EQ(take_error_code(), -32600) << version;
  }
}

TEST_F(Legacy, ACancelledRequestOfABatchIsLeftOut) {
  initialize("2025-03-26");
  send(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}},)"
       R"({"jsonrpc":"2.0","id":2,"method":"ping"}])");
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  const auto lines = take();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(parse(lines[0]).as_array().size(), 1U);
  steps.run_all();
  EXPECT_TRUE(take().empty());
}

TEST_F(Legacy, FailuresAreLoggedToAClientThatAsks) {
  initialize("2025-11-25");
  request("1", "logging/setLevel", R"({"level":"loud"})");
  EXPECT_EQ(take_error_code(), -32602);
  request("2", "tools/call", R"({"name":"broken"})");
  steps.run_all();
  EXPECT_EQ(take().size(), 1U) << "not asked yet";
  request("3", "logging/setLevel", R"({"level":"warning"})");
  take_one();
  request("4", "tools/call", R"({"name":"broken"})");
  steps.run_all();
  const auto lines = take();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], HasSubstr("notifications/message"));
  EXPECT_THAT(lines[0], HasSubstr("disk I/O error"));
  EXPECT_THAT(lines[1], HasSubstr(R"("isError":true)"));
}

TEST_F(Legacy, GarbageIsAnsweredAndSurvived) {
  send("{nonsense");
  auto message = take_one();
  EXPECT_TRUE(message.at("id").is_null());
  EXPECT_EQ(message.at("error").at("code").as_int64(), -32700);
  send("");
  send("   ");
  send(R"({"jsonrpc":"2.0","id":9,"result":{}})");
  send(R"({"jsonrpc":"2.0","method":"notifications/unknown"})");
  EXPECT_TRUE(take().empty());
  request("1", "ping");
  EXPECT_EQ(take_one().at("id").as_int64(), 1);
}

TEST_F(Legacy, OwnMethodsNeedNoHandshake) {
  request("1", "memd/status");
  steps.run_all();
  EXPECT_TRUE(take_one().at("result").at("ok").as_bool());
  request("2", "memd/status", R"({"a":1})");
  steps.run_all();
  EXPECT_EQ(take_error_code(), -32602);
}

}  // namespace
}  // namespace memd::test

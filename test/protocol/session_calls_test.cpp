#include "schemas/base/error.hpp"
#include "test/protocol/server_fixture.hpp"
#include "test/protocol/session_fixture.hpp"

#include <boost/json/serialize.hpp>

#include <set>

namespace memd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Calls : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    registry.add<Nothing, EchoResult>(sample_info("watched"),
                                      [this](const Nothing&, mcp::ToolContext& context) { return watched(context); });
  }
  void call(std::string_view id, std::string_view tool, std::string_view arguments = "{}", std::string_view more = "") {
    request(id, "tools/call",
            std::string(R"({"name":")")
                .append(tool)
                .append(R"(","arguments":)")
                .append(arguments)
                .append(more)
                .append("}"));
  }
  void cancel(std::string_view id) {
    send(std::string(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)")
             .append(id)
             .append("}}"));
  }
  std::function<Result<EchoResult>(mcp::ToolContext&)> watched = [](mcp::ToolContext&) {
    return Result<EchoResult>(EchoResult{"done"});
  };
};

TEST_F(Calls, AnswersComeInTheOrderTheWorkEnds) {
  initialize("2025-11-25");
  call("1", "echo", R"({"text":"slow"})");
  call("2", "echo", R"({"text":"fast"})");
  ASSERT_EQ(steps.queued_work(), 2U);
  steps.run_worker(1);
  steps.run_loop();
  EXPECT_EQ(take_one().at("id").as_int64(), 2);
  call("3", "quick", R"({"text":"quicker"})");
  EXPECT_EQ(take_one().at("id").as_int64(), 3) << "an inline tool waits for nobody";
  steps.run_all();
  EXPECT_EQ(take_one().at("id").as_int64(), 1);
}

class Roots : public ServerTest {
 protected:
  Roots() {
    registry.add<Nothing, EchoResult>(sample_info("where"), [](const Nothing&, mcp::ToolContext& context) {
      EchoResult out;
      for (const std::string& root : context.client_roots())
        out.text += root + ";";
      if (!context.directory.empty()) out.text += " in " + context.directory;
      return Result<EchoResult>(out);
    });
  }
  // Answers the one pending roots/list request.
  static void answer(LineClient& client, std::string_view member) {
    const auto request = read(client);
    EXPECT_EQ(request.at("method").as_string(), "roots/list");
    client.send_line(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) + "," +
                     std::string(member) + "}");
  }
  static std::string text_of(const boost::json::object& message) {
    return std::string(message.at("result").at("content").at(0).at("text").as_string());
  }
};

TEST_F(Roots, AreAskedForOnceAndAgainWhenTheyChange) {
  auto client = connect_with(R"({"roots":{"listChanged":true}})");
  client.send_line(call(1, "where", "{}"));
  answer(client, R"("result":{"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}]})");
  EXPECT_EQ(text_of(read(client)), "echo: file:///a;file:///b;");
  client.send_line(call(2, "where", "{}"));
  EXPECT_EQ(text_of(read(client)), "echo: file:///a;file:///b;") << "known";
  client.send_line(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  client.send_line(call(3, "where", "{}"));
  answer(client, R"("result":{"roots":[{"uri":"file:///c"}]})");
  EXPECT_EQ(text_of(read(client)), "echo: file:///c;");
}

TEST_F(Roots, ABridgeTellsTheDirectoryInBothEras) {
  auto client = connect_with("{}");
  const std::string where =
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"where","arguments":{},)" + kModernMeta + "}}";
  client.send_line(where);
  EXPECT_EQ(text_of(read(client)), "echo: ");
  client.send_line(mcp::working_directory_line("/home/u/my \"app\""));
  client.send_line(where);
  EXPECT_EQ(text_of(read(client)), "echo:  in /home/u/my \"app\"");
  client.send_line(call(8, "where", "{}"));
  EXPECT_EQ(text_of(read(client)), "echo:  in /home/u/my \"app\"");
  client.send_line(R"({"jsonrpc":"2.0","method":"notifications/memd/working_directory","params":{"directory":7}})");
  client.send_line(call(9, "where", "{}"));
  EXPECT_EQ(text_of(read(client)), "echo: ");
}

TEST_F(Roots, AreNoneWhereTheClientDoesNotTellThem) {
  for (const auto* bad : {R"("error":{"code":-32601,"message":"no"})", R"("result":{"roots":7})", R"("result":[])",
                          R"("result":{"roots":[1,{"uri":2},{}]})"}) {
    SCOPED_TRACE(bad);
    if (!thread.joinable()) start_listening();
    LineClient client = connect();
    client.send_line(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}})");
    ASSERT_TRUE(client.read_line());
    client.send_line(call(1, "where", "{}"));
    answer(client, bad);
    EXPECT_EQ(text_of(read(client)), "echo: ");
    client.send_line(call(2, "where", "{}"));
    EXPECT_EQ(text_of(read(client)), "echo: ") << "not asked again";
  }
}

TEST_F(Roots, NobodyIsAskedWhoDoesNotOfferThem) {
  auto client = connect_with("{}");
  client.send_line(call(1, "where", "{}"));
  EXPECT_EQ(text_of(read(client)), "echo: ");
}

TEST_F(Roots, AClientThatDoesNotAnswerIsNotWaitedForLong) {
  limits.max_roots_wait_ms = 1;
  auto client = connect_with(R"({"roots":{}})");
  client.send_line(call(1, "where", "{}"));
  EXPECT_EQ(read(client).at("method").as_string(), "roots/list");
  std::multiset<std::string> seen;
  for (int i = 0; i < 2; ++i) {
    const auto message = read(client);
    seen.insert(message.contains("method") ? "cancelled" : text_of(message));
  }
  EXPECT_EQ(seen, (std::multiset<std::string>{"cancelled", "echo: "}));
}

TEST_F(Calls, FailuresAreResults) {
  initialize("2025-11-25");
  const auto text_of = [&](std::string_view tool, std::string_view arguments = "{}") {
    call("1", tool, arguments);
    steps.run_all();
    const auto result = take_one().at("result").as_object();
    EXPECT_TRUE(result.at("isError").as_bool());
    EXPECT_FALSE(result.contains("structuredContent"));
    return std::string(result.at("content").at(0).at("text").as_string());
  };
  EXPECT_EQ(text_of("missing"), "there is no exchange x9, call recent_turns for ids");
  EXPECT_EQ(text_of("echo"), "text: is required and was not sent");
  EXPECT_EQ(text_of("echo", "[1]"), "arguments: send a JSON object with the named arguments");
  EXPECT_TRUE(failures.empty()) << "the caller's mistakes are not ours";
  EXPECT_EQ(text_of("broken"), "disk I/O error");
  EXPECT_EQ(text_of("throwing"), "internal error: oops");
  EXPECT_THAT(failures, ElementsAre("broken: disk I/O error", "throwing: internal error: oops"));
}

TEST_F(Calls, UnknownToolsAreProtocolErrors) {
  initialize("2025-11-25");
  call("1", "nope");
  EXPECT_EQ(take_error_code(), -32602);
  request("2", "tools/call");
  EXPECT_EQ(take_error_code(), -32602);
}

TEST_F(Calls, CancellationStopsTheHandlerAndSilencesTheAnswer) {
  initialize("2025-11-25");
  bool saw_stop = false;
  watched = [&](mcp::ToolContext& context) {
    cancel("1");  // arrives while the handler runs
    saw_stop = context.stop.stop_requested();
    return Result<EchoResult>(Error(Errc::cancelled, "cancelled"));
  };
  call("1", "watched");
  steps.run_all();
  EXPECT_TRUE(saw_stop);
  EXPECT_TRUE(take().empty());
  call("1", "echo", R"({"text":"the id is free again"})");
  steps.run_all();
  EXPECT_EQ(take().size(), 1U);
}

TEST_F(Calls, CancelledBeforeItStartedNeverRuns) {
  initialize("2025-11-25");
  bool ran = false;
  watched = [&](mcp::ToolContext&) {
    ran = true;
    return Result<EchoResult>(EchoResult{});
  };
  call("1", "watched");
  cancel("1");
  cancel("77");
  steps.run_all();
  EXPECT_FALSE(ran);
  EXPECT_TRUE(take().empty());
}

TEST_F(Calls, AHandlerThatGivesUpByItselfIsStillAnswered) {
  initialize("2025-11-25");
  watched = [](mcp::ToolContext&) { return Result<EchoResult>(Error(Errc::cancelled, "stopped half way")); };
  call("1", "watched");
  steps.run_all();
  EXPECT_TRUE(take_one().at("result").at("isError").as_bool());
}

TEST_F(Calls, ProgressGrowsIsSpacedAndEndsWithTheAnswer) {
  initialize("2025-11-25");
  const mcp::ToolContext* leaked = nullptr;
  watched = [&](mcp::ToolContext& context) {
    context.progress(1, 10, "one");
    clock.advance(10);
    context.progress(2, 10, "too soon");
    clock.advance(50);
    context.progress(3, 10, "three");
    clock.advance(50);
    context.progress(3, 10, "no further");
    clock.advance(50);
    context.progress(2, 10, "backwards");
    leaked = &context;
    return Result<EchoResult>(EchoResult{"done"});
  };
  call("1", "watched", "{}", R"(,"_meta":{"progressToken":"tok"})");
  steps.run_all();
  const auto lines = take();
  ASSERT_EQ(lines.size(), 3U) << testing::PrintToString(lines);
  EXPECT_EQ(lines[0], R"({"jsonrpc":"2.0","method":"notifications/progress",)"
                      R"("params":{"progressToken":"tok","progress":1,"total":10,"message":"one"}})");
  EXPECT_EQ(parse(lines[1]).at("params").at("progress").as_int64(), 3);
  EXPECT_EQ(parse(lines[2]).at("id").as_int64(), 1);
}

TEST_F(Calls, NoProgressForACancelledCallOrWithoutAToken) {
  initialize("2025-11-25");
  watched = [&](mcp::ToolContext& context) {
    context.progress(1, 2, "");
    return Result<EchoResult>(EchoResult{"done"});
  };
  call("1", "watched");
  steps.run_all();
  EXPECT_EQ(take().size(), 1U);
  watched = [&](mcp::ToolContext& context) {
    cancel("2");
    context.progress(1, 2, "");
    return Result<EchoResult>(EchoResult{"done"});
  };
  call("2", "watched", "{}", R"(,"_meta":{"progressToken":7})");
  steps.run_all();
  EXPECT_TRUE(take().empty());
}

TEST_F(Calls, AnIdInUseIsRefused) {
  initialize("2025-11-25");
  call("1", "echo", R"({"text":"a"})");
  call("1", "echo", R"({"text":"b"})");
  const auto refused = take_one();
  EXPECT_EQ(refused.at("error").at("code").as_int64(), -32600);
  EXPECT_TRUE(refused.at("id").is_null()) << "the request that runs has one answer";
  EXPECT_THAT(std::string(refused.at("error").at("message").as_string()), testing::HasSubstr("the id 1 is still"));
  call(R"("1")", "echo", R"({"text":"c"})");
  steps.run_all();
  EXPECT_EQ(take().size(), 2U) << "1 and \"1\" are different ids";
}

TEST_F(Calls, BackPressureStopsReading) {
  limits.max_in_flight = 2;
  initialize("2025-11-25");
  for (const auto* id : {"1", "2", "3", "4"})
    peer->to_server.push_back(std::string(R"({"jsonrpc":"2.0","id":)") + id +
                              R"(,"method":"tools/call","params":{"name":"echo","arguments":{"text":"t"}}})");
  deliver();
  EXPECT_EQ(steps.queued_work(), 2U);
  EXPECT_EQ(peer->to_server.size(), 2U) << "the rest is unread";
  EXPECT_FALSE(peer->reading);
  steps.run_worker();
  steps.run_loop();
  EXPECT_EQ(peer->to_server.size(), 1U);
  steps.run_all();
  EXPECT_EQ(take().size(), 4U);
}

TEST_F(Calls, ABatchLargerThanTheLimitWaitsItsTurn) {
  limits.max_in_flight = 2;
  initialize("2025-03-26");
  std::string batch = "[";
  for (int i = 1; i <= 5; ++i)
    batch += (i > 1 ? "," : "") + (R"({"jsonrpc":"2.0","id":)" + std::to_string(i)) +
             R"(,"method":"tools/call","params":{"name":"echo","arguments":{"text":"t"}}})";
  send(batch + "]");
  EXPECT_EQ(steps.queued_work(), 2U);
  steps.run_all();
  const auto lines = take();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(parse(lines[0]).as_array().size(), 5U);
}

TEST_F(Calls, EndOfInputWaitsForWhatIsInFlight) {
  initialize("2025-11-25");
  call("1", "echo", R"({"text":"last words"})");
  end_input();
  EXPECT_FALSE(peer->closed);
  steps.run_all();
  EXPECT_EQ(take().size(), 1U);
  EXPECT_TRUE(peer->closed);
  EXPECT_TRUE(finished);
}

TEST_F(Calls, ALostConnectionCancelsAndWaitsForTheHandlers) {
  initialize("2025-11-25");
  bool saw_stop = false;
  watched = [&](mcp::ToolContext& context) {
    session->abort();
    steps.run_loop();
    EXPECT_FALSE(finished) << "the handler still runs";
    saw_stop = context.stop.stop_requested();
    return Result<EchoResult>(EchoResult{});
  };
  call("1", "watched");
  steps.run_all();
  EXPECT_TRUE(saw_stop);
  EXPECT_TRUE(finished);
  EXPECT_TRUE(take().empty());
}

TEST_F(Calls, StopAnswersWhatIsInFlight) {
  initialize("2025-11-25");
  call("1", "echo", R"({"text":"a"})");
  session->stop();
  session->stop();
  EXPECT_EQ(take_error_code(), -32603);
  steps.run_all();
  EXPECT_TRUE(take().empty());
  EXPECT_TRUE(finished);
}

}  // namespace
}  // namespace memd::test

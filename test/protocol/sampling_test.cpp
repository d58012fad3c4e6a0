// The client's own model: queried during the call in legacy revisions, and by an input_required result in the newest
// one.
#include "protocol/mcp/sampling.hpp"

#include "schemas/base/error.hpp"
#include "test/protocol/server_fixture.hpp"
#include "test/protocol/session_fixture.hpp"
#include "test/support/asking_tools.hpp"

#include <boost/json/serialize.hpp>

#include <set>

namespace memd::test {
namespace {

using testing::HasSubstr;

TEST(SamplingResults, AreReadAsTheRevisionsWriteThem) {
  const auto read = [](std::string_view text) { return mcp::read_sampling_result(parse(text)); };
  const auto one = read(R"({"role":"assistant","content":{"type":"text","text":"hi"},"model":"m","stopReason":"x"})");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->text, "hi");
  EXPECT_EQ(one->model, "m");
  EXPECT_FALSE(one->truncated);
  const auto blocks = read(R"({"role":"assistant","model":"m","stopReason":"maxTokens","content":[)"
                           R"({"type":"text","text":"a"},{"type":"image","data":"","mimeType":"i"},)"
                           R"({"type":"text","text":"b"}]})");
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->text, "ab");
  EXPECT_TRUE(blocks->truncated);
  for (const auto* bad : {"7", "null", "[]", "{}", R"({"content":{"type":"image"}})", R"({"content":[]})",
                          R"({"content":{"type":"text","text":""}})", R"({"content":{"type":"text","text":7}})"}) {
    const auto result = read(bad);
    ASSERT_FALSE(result) << bad;
    EXPECT_TRUE(result.error().is(Errc::protocol)) << bad;
  }
}

class Sampling : public ServerTest {
 protected:
  Sampling() { add_asking_tools(registry); }
  static void respond(LineClient& client, const boost::json::object& request, std::string_view text) {
    client.send_line(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) +
                     R"(,"result":{"role":"assistant","model":"m1","content":{"type":"text","text":")" +
                     std::string(text) + R"("}}})");
  }
  static std::string text_of(const boost::json::object& message) {
    return std::string(message.at("result").at("content").at(0).at("text").as_string());
  }
};

TEST_F(Sampling, AllAreAskedAtOnceAndTheAnswersFindTheirPlaces) {
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "ask", R"({"text":"q","times":3})"));
  std::vector<boost::json::object> requests;
  std::set<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    requests.push_back(read(client));
    EXPECT_EQ(requests.back().at("method").as_string(), "sampling/createMessage");
    ids.insert(std::string(requests.back().at("id").as_string()));
  }
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_EQ(requests[1].at("params"),
            boost::json::parse(R"({"messages":[{"role":"user","content":{"type":"text","text":"q1"}}],)"
                               R"("systemPrompt":"Be brief.","maxTokens":50})"));
  client.send_line(R"({"jsonrpc":"2.0","id":"memd-00000000-1","result":{}})");  // an unknown id
  for (const int i : {2, 0, 1})
    respond(client, requests[static_cast<std::size_t>(i)], "a" + std::to_string(i));
  EXPECT_EQ(text_of(read(client)), "echo: a0(m1)a1(m1)a2(m1)");
}

TEST_F(Sampling, OtherCallsAreAnsweredMeanwhile) {
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "ask", R"({"text":"q"})"));
  const auto request = read(client);
  client.send_line(call(2, "echo", R"({"text":"x"})"));
  EXPECT_EQ(read(client).at("id").as_int64(), 2);
  respond(client, request, "late");
  EXPECT_EQ(read(client).at("id").as_int64(), 1);
}

TEST_F(Sampling, OneAfterTheOther) {
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "chain", R"({"text":"q","times":3})"));
  for (const auto* answer : {"one", "two", "three"})
    respond(client, read(client), answer);
  EXPECT_EQ(text_of(read(client)), "echo: three");
}

TEST_F(Sampling, ARefusalIsTheErrorAndTheOthersAreCalledBack) {
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "ask", R"({"text":"q","times":2})"));
  const auto first = read(client);
  const auto second = read(client);
  client.send_line(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(first.at("id")) +
                   R"(,"error":{"code":-1,"message":"User rejected sampling request"}})");
  const auto cancelled = read(client);
  EXPECT_EQ(cancelled.at("method").as_string(), "notifications/cancelled");
  EXPECT_EQ(cancelled.at("params").at("requestId"), second.at("id"));
  EXPECT_THAT(text_of(read(client)), HasSubstr("User rejected sampling request"));
}

TEST_F(Sampling, NobodyIsAskedWhoOffersNoModel) {
  auto client = connect_with(R"({"roots":{}})");
  client.send_line(call(1, "ask", R"({"text":"q"})"));
  EXPECT_EQ(text_of(read(client)), "echo: no model");
}

TEST_F(Sampling, ACancelledCallCancelsItsQuestions) {
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "ask", R"({"text":"q"})"));
  const auto request = read(client);
  client.send_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  const auto cancelled = read(client);
  EXPECT_EQ(cancelled.at("method").as_string(), "notifications/cancelled");
  EXPECT_EQ(cancelled.at("params").at("requestId"), request.at("id"));
  respond(client, request, "too late");
  client.send_line(call(2, "echo", R"({"text":"x"})"));
  EXPECT_EQ(read(client).at("id").as_int64(), 2);
}

TEST_F(Sampling, AClientThatWritesNoMoreIsNotWaitedFor) {
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "ask", R"({"text":"q"})"));
  read(client);
  client.close_write();
  EXPECT_THAT(text_of(read(client)), HasSubstr("the client has gone"));
  EXPECT_FALSE(client.read_line());
}

TEST_F(Sampling, AClientThatGoesLeavesNobodyWaiting) {
  {
    auto client = connect_with(R"({"sampling":{}})");
    client.send_line(call(1, "ask", R"({"text":"q"})"));
    read(client);
  }
  stop();  // joins the workers
}

TEST_F(Sampling, OnlySoManyCallsWait) {
  limits.max_client_waits = 1;
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "ask", R"({"text":"q"})"));
  const auto request = read(client);
  client.send_line(call(2, "ask", R"({"text":"r"})"));
  EXPECT_THAT(text_of(read(client)), HasSubstr("busy with other calls"));
  respond(client, request, "a");
  EXPECT_EQ(text_of(read(client)), "echo: a(m1)");
  client.send_line(call(3, "ask", R"({"text":"s"})"));
  respond(client, read(client), "b");
  EXPECT_EQ(text_of(read(client)), "echo: b(m1)");
}

TEST_F(Sampling, PatienceHasAnEnd) {
  limits.max_client_wait_ms = 1;
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "ask", R"({"text":"q"})"));
  EXPECT_EQ(read(client).at("method").as_string(), "sampling/createMessage");
  EXPECT_EQ(read(client).at("method").as_string(), "notifications/cancelled");
  EXPECT_THAT(text_of(read(client)), HasSubstr("did not answer in time"));
}

// --- the user of the client ---

TEST(ClientOffers, AreReadFromCapabilities) {
  const auto offers_elicitation = [](std::string_view capabilities) {
    const auto value = parse(capabilities);
    return mcp::client_offers(&value).elicitation;
  };
  EXPECT_TRUE(offers_elicitation(R"({"elicitation":{}})"));
  EXPECT_TRUE(offers_elicitation(R"({"elicitation":{"form":{},"url":{}}})"));
  EXPECT_TRUE(offers_elicitation(R"({"elicitation":{"form":{"applyDefaults":true}}})"));
  EXPECT_FALSE(offers_elicitation(R"({"elicitation":{"url":{}}})"));
  EXPECT_FALSE(offers_elicitation(R"({"elicitation":true,"sampling":{}})"));
  EXPECT_FALSE(offers_elicitation("{}"));
  EXPECT_FALSE(mcp::client_offers(nullptr).elicitation);
}

TEST_F(Sampling, APersonIsAskedAndTheAnswerIsWhatCounts) {
  auto client = connect_with(R"({"elicitation":{}})");
  const auto respond_with = [&](const boost::json::object& request, std::string_view result) {
    client.send_line(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) + R"(,"result":)" +
                     std::string(result) + "}");
  };
  int id = 0;
  for (const auto& [result, done] :
       {std::pair(R"({"action":"accept","content":{}})", "echo: done"),
        std::pair(R"({"action":"decline"})", "echo: no"), std::pair(R"({"action":"cancel"})", "echo: closed")}) {
    client.send_line(call(++id, "confirm", R"({"text":"it"})"));
    const auto request = read(client);
    EXPECT_EQ(request.at("method").as_string(), "elicitation/create");
    EXPECT_EQ(request.at("params"),
              boost::json::parse(R"({"message":"Do it?","requestedSchema":{"type":"object","properties":{}}})"));
    respond_with(request, result);
    EXPECT_EQ(text_of(read(client)), done);
  }
  client.send_line(call(9, "confirm", R"({"text":"it"})"));
  respond_with(read(client), R"({"action":"perhaps"})");
  EXPECT_THAT(text_of(read(client)), HasSubstr("neither accept, decline nor cancel"));
  client.send_line(call(10, "ask", R"({"text":"q"})"));
  EXPECT_EQ(text_of(read(client)), "echo: no model") << "a person is no model";
}

TEST_F(Sampling, NobodyIsAskedWhereTheClientDoesNotLetUs) {
  auto client = connect_with(R"({"sampling":{}})");
  client.send_line(call(1, "confirm", R"({"text":"it"})"));
  EXPECT_EQ(text_of(read(client)), "echo: nobody");
}

// --- the stateless era ---

const std::string kSamplingMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                  R"("io.modelcontextprotocol/clientCapabilities":{"sampling":{}}})";

class InputRequired : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    add_asking_tools(registry);
  }
  boost::json::object ask(std::string_view tool, std::string_view arguments, std::string_view more = "",
                          const std::string& meta = kSamplingMeta) {
    request("1", "tools/call",
            "{" + meta + R"(,"name":")" + std::string(tool) + R"(","arguments":)" + std::string(arguments) +
                std::string(more) + "}");
    steps.run_all();
    return take_one();
  }
  // Returns the client's answer to each request, made from its prompt.
  static std::string answers_to(const boost::json::object& result) {
    std::string out;
    for (const auto& request : result.at("inputRequests").as_object()) {
      const auto& messages = request.value().at("params").at("messages");
      out += (out.empty() ? "" : ",") + boost::json::serialize(boost::json::value(request.key())) +
             R"(:{"role":"assistant","model":"m2","content":{"type":"text","text":"<)" +
             std::string(messages.at(0).at("content").at("text").as_string()) + R"(>"}})";
    }
    return R"(,"inputResponses":{)" + out + "}" + state_of(result);
  }
  static std::string state_of(const boost::json::object& result) {
    return R"(,"requestState":)" + boost::json::serialize(result.at("requestState"));
  }
  static std::string text_of(const boost::json::object& message) {
    return std::string(message.at("result").at("content").at(0).at("text").as_string());
  }
};

TEST_F(InputRequired, TheResultAsksAndTheSecondCallIsAnswered) {
  const auto first = ask("ask", R"({"text":"q","times":2})").at("result").as_object();
  EXPECT_EQ(first.at("resultType").as_string(), "input_required");
  EXPECT_FALSE(first.contains("content"));
  EXPECT_TRUE(first.at("_meta").as_object().contains("io.modelcontextprotocol/serverInfo"));
  const auto& requests = first.at("inputRequests").as_object();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests.begin()->value(),
            parse(R"({"method":"sampling/createMessage","params":{"messages":[{"role":"user",)"
                  R"("content":{"type":"text","text":"q0"}}],"systemPrompt":"Be brief.","maxTokens":50}})"));
  const auto second = ask("ask", R"({"times":2,"text":"q"})", answers_to(first));
  EXPECT_EQ(second.at("result").at("resultType").as_string(), "complete");
  EXPECT_EQ(text_of(second), "echo: <q0>(m2)<q1>(m2)");
  EXPECT_TRUE(failures.empty()) << "asking is no failure";
}

TEST_F(InputRequired, EarlierAnswersSurviveSeveralRounds) {
  const std::string arguments = R"({"text":"q","times":3})";
  auto result = ask("chain", arguments).at("result").as_object();
  int rounds = 0;
  while (result.at("resultType").as_string() == "input_required") {
    ASSERT_LT(++rounds, 5);
    EXPECT_EQ(result.at("inputRequests").as_object().size(), 1U);
    result = ask("chain", arguments, answers_to(result)).at("result").as_object();
  }
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(result.at("content").at(0).at("text").as_string(), "echo: <<<q>>>");
}

TEST_F(InputRequired, ItGoesOnOverAnotherConnection) {
  const auto first = ask("ask", R"({"text":"q"})").at("result").as_object();
  auto other_peer = std::make_shared<MemoryPeer>();
  auto made = std::make_unique<MemoryTransport>(steps, other_peer);
  MemoryTransport& link = *made;
  bool over = false;
  mcp::Session other(std::move(made), *profile, *state, steps.executors(), [&] { over = true; });
  other.start();
  other_peer->to_server.push_back(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)" + kSamplingMeta +
                                  R"(,"name":"ask","arguments":{"text":"q"})" + answers_to(first) + "}}");
  other_peer->input_ended = true;
  link.deliver();
  steps.run_all();
  ASSERT_EQ(other_peer->received.size(), 1U);
  EXPECT_EQ(text_of(parse(other_peer->received[0]).as_object()), "echo: <q0>(m2)");
  EXPECT_TRUE(over);
}

TEST_F(InputRequired, AStateIsGoodForItsOwnCallOnly) {
  const auto first = ask("ask", R"({"text":"q"})").at("result").as_object();
  const std::string sent = answers_to(first);
  const auto code = [](const boost::json::object& m) { return m.at("error").at("code").as_int64(); };
  EXPECT_EQ(code(ask("ask", R"({"text":"another"})", sent)), -32602);
  EXPECT_EQ(code(ask("chain", R"({"text":"q"})", sent)), -32602);
  EXPECT_EQ(code(ask("ask", R"({"text":"q"})", R"(,"requestState":"0123456789abcdef0123456789abcdef")")), -32602);
  EXPECT_EQ(text_of(ask("ask", R"({"text":"q"})", sent)), "echo: <q0>(m2)");
  EXPECT_EQ(code(ask("ask", R"({"text":"q"})", sent)), -32602) << "used up";
}

TEST_F(InputRequired, AnswersNobodyAskedForAreNotTaken) {
  const auto first = ask("ask", R"({"text":"q"})").at("result").as_object();
  const auto again =
      ask("ask", R"({"text":"q"})",
          R"(,"inputResponses":{"model-1":{"role":"assistant","model":"m","content":{"type":"text","text":"no"}}})" +
              state_of(first));
  EXPECT_EQ(again.at("result").at("resultType").as_string(), "input_required");
  // Without requestState the answers are ignored.
  const std::string answers = answers_to(first);
  const auto fresh = ask("ask", R"({"text":"q"})", answers.substr(0, answers.find(R"(,"requestState")")));
  EXPECT_EQ(fresh.at("result").at("resultType").as_string(), "input_required");
}

TEST_F(InputRequired, AnAnswerThatIsNoneFailsTheCall) {
  const auto first = ask("ask", R"({"text":"q"})").at("result").as_object();
  const std::string key(first.at("inputRequests").as_object().begin()->key());
  const auto second =
      ask("ask", R"({"text":"q"})", R"(,"inputResponses":{")" + key + R"(":{"action":"decline"}})" + state_of(first));
  EXPECT_TRUE(second.at("result").at("isError").as_bool());
  EXPECT_THAT(text_of(second), HasSubstr("without text"));
}

TEST_F(InputRequired, NobodyIsAskedWhoOffersNoModel) {
  EXPECT_EQ(text_of(ask("ask", R"({"text":"q"})", "", kModernMeta)), "echo: no model");
}

TEST_F(InputRequired, APersonIsAskedByTheResultAndOneYesIsGoodOnce) {
  const std::string meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}})";
  const auto first = ask("confirm", R"({"text":"it"})", "", meta).at("result").as_object();
  EXPECT_EQ(first.at("resultType").as_string(), "input_required");
  const auto& requests = first.at("inputRequests").as_object();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests.begin()->value(),
            parse(R"({"method":"elicitation/create",)"
                  R"("params":{"message":"Do it?","requestedSchema":{"type":"object","properties":{}}}})"));
  const std::string key(requests.begin()->key());
  const std::string yes = R"(,"inputResponses":{")" + key + R"(":{"action":"accept"}})" + state_of(first);
  const auto other = ask("confirm", R"({"text":"something else"})", yes, meta);
  EXPECT_EQ(other.at("error").at("code").as_int64(), -32602) << "a yes to another question";
  EXPECT_EQ(text_of(ask("confirm", R"({"text":"it"})", yes, meta)), "echo: done");
  EXPECT_TRUE(ask("confirm", R"({"text":"it"})", yes, meta).contains("error")) << "used up";
  EXPECT_EQ(text_of(ask("confirm", R"({"text":"it"})", "", kModernMeta)), "echo: nobody");
}

TEST(InputRoundClient, RequestsThatDifferInAnythingAreAskedApart) {
  mcp::InputRoundClient model({});
  const std::vector<CompletionRequest> requests{{"Be brief.", "q", 50},
                                                {"Be long.", "q", 50},
                                                {"Be brief.", "q", 60},
                                                {"Be brief.", "p", 50},
                                                {"Be brief.", "q", 50}};
  const auto answers = model.complete(requests, {});
  ASSERT_FALSE(answers);
  EXPECT_TRUE(answers.error().is(Errc::input_required));
  EXPECT_EQ(model.open().size(), 4U) << "the last is the first again";
}

TEST(InputRoundStore, IsBoundedInNumberSizeAndAge) {
  FakeClock clock;
  mcp::InputRounds rounds(clock, {2, 100, 1000});
  const auto round = [](std::string question, std::size_t size) {
    mcp::InputRound r{std::move(question), {}, {}, {}};
    Completion c;
    c.text = std::string(size, 'x');
    r.answers.emplace("k", c);
    return r;
  };
  const auto a = rounds.keep(round("a", 1));
  const auto b = rounds.keep(round("b", 1));
  EXPECT_NE(a, b);
  EXPECT_EQ(a.size(), 32U);
  EXPECT_TRUE(rounds.find(a, "a"));
  EXPECT_FALSE(rounds.find(a, "b"));
  const auto c = rounds.keep(round("c", 1));
  EXPECT_FALSE(rounds.find(a, "a")) << "the oldest made room";
  EXPECT_TRUE(rounds.find(b, "b"));
  rounds.forget(b);
  EXPECT_FALSE(rounds.find(b, "b"));
  const auto large = rounds.keep(round("d", 99));
  EXPECT_FALSE(rounds.find(c, "c")) << "too large for both";
  clock.advance(1000);
  EXPECT_TRUE(rounds.find(large, "d"));
  clock.advance(1);
  EXPECT_FALSE(rounds.find(large, "d"));
}

}  // namespace
}  // namespace memd::test

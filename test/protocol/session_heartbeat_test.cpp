#include "test/protocol/session_fixture.hpp"

namespace memd::test {
namespace {

class Heartbeat : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    registry.add<Nothing, EchoResult>(sample_info("slow"),
                                      [this](const Nothing&, mcp::ToolContext& context) { return slow(context); });
    initialize("2025-11-25");
    state->wake_heartbeat = [this] { ++woken; };
  }
  void call(std::string_view meta) {
    request("1", "tools/call", R"({"name":"slow")" + std::string(meta) + "}");
    steps.run_all();
  }
  double progress(const std::string& line) {
    EXPECT_EQ(parse(line).at("method").as_string(), "notifications/progress") << line;
    return parse(line).at("params").at("progress").to_number<double>();
  }
  std::function<Result<EchoResult>(mcp::ToolContext&)> slow;
  int woken = 0;
};

constexpr TimeMs kYearMs = 365LL * 24 * 3600 * 1000;
constexpr const char* kToken = R"(,"_meta":{"progressToken":5})";

TEST_F(Heartbeat, ASilentCallIsReportedToBeAlive) {
  std::vector<std::string> lines;
  slow = [&](mcp::ToolContext&) {
    EXPECT_TRUE(session->beat());
    EXPECT_TRUE(take().empty()) << "not yet";
    for (int i = 0; i < 50; ++i) {
      clock.advance(500);
      EXPECT_TRUE(session->beat());
      EXPECT_TRUE(session->beat()) << "twice in no time is once";
    }
    lines = take();
    return Result<EchoResult>(EchoResult{"done"});
  };
  call(kToken);
  EXPECT_EQ(woken, 1);
  ASSERT_EQ(lines.size(), 50U);
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_GT(progress(lines[i]), progress(lines[i - 1]));
  EXPECT_LT(progress(lines.back()), 0.001);
  EXPECT_EQ(parse(lines[1]).at("params").at("message").as_string(), "working since 1 s");
  EXPECT_EQ(take().size(), 1U) << "the answer";
  EXPECT_FALSE(session->beat());
}

TEST_F(Heartbeat, ItNeverOvertakesTheHandler) {
  std::vector<std::string> lines;
  slow = [&](mcp::ToolContext& context) {
    for (int i = 1; i <= 3; ++i) {
      context.progress(i, 3, "step");
      steps.run_loop();
      for (int beat = 0; beat < 5; ++beat) {
        clock.advance(500);
        session->beat();
      }
    }
    lines = take();
    return Result<EchoResult>(EchoResult{"done"});
  };
  call(kToken);
  ASSERT_EQ(lines.size(), 18U);
  EXPECT_EQ(progress(lines[0]), 1);
  EXPECT_EQ(progress(lines[6]), 2);
  EXPECT_EQ(progress(lines[12]), 3);
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_GT(progress(lines[i]), progress(lines[i - 1]));
}

// Heartbeats report the current stage of the handler, also if its own report came too soon after another to be sent.
TEST_F(Heartbeat, TellsTheStageOfTheWork) {
  for (const bool modern : {false, true}) {
    std::vector<std::string> lines;
    slow = [&](mcp::ToolContext& context) {
      context.stage(0, 2, "embedding");
      steps.run_loop();
      EXPECT_TRUE(take().empty()) << "quick calls are not told of";
      clock.advance(500);
      session->beat();
      context.stage(1, 2, "searching");
      clock.advance(600);
      session->beat();
      context.progress(2, 4, "sent");
      context.progress(3, 4, "too soon");
      steps.run_loop();
      clock.advance(700);
      session->beat();
      context.progress(3, 4, "no further");  // does not lower the progress of earlier beats
      steps.run_loop();
      clock.advance(500);
      session->beat();
      lines = take();
      return Result<EchoResult>(EchoResult{"done"});
    };
    std::string meta = modern ? kModernMeta : R"("_meta":{})";
    meta.insert(meta.size() - 1, std::string(modern ? "," : "") + R"("progressToken":5)");
    request(modern ? "2" : "1", "tools/call", R"({"name":"slow",)" + meta + "}");
    steps.run_all();
    ASSERT_EQ(lines.size(), 5U);
    const auto member = [&](std::size_t i, const char* name) { return parse(lines[i]).at("params").at(name); };
    EXPECT_EQ(member(0, "message").as_string(), "embedding; working since 1 s");
    EXPECT_EQ(member(0, "total").as_int64(), 2);
    EXPECT_LT(progress(lines[0]), 0.001);
    EXPECT_EQ(member(1, "message").as_string(), "searching; working since 1 s");
    EXPECT_GT(progress(lines[1]), 1);
    EXPECT_EQ(member(2, "message").as_string(), "sent");
    EXPECT_EQ(member(3, "message").as_string(), "too soon; working since 2 s");
    EXPECT_EQ(member(3, "total").as_int64(), 4);
    EXPECT_EQ(member(4, "message").as_string(), "no further; working since 2 s");
    for (std::size_t i = 1; i < lines.size(); ++i)
      EXPECT_GT(progress(lines[i]), progress(lines[i - 1])) << i;
    EXPECT_EQ(take().size(), 1U) << "the answer, and nothing behind it";
  }
}

TEST_F(Heartbeat, NobodyAskedNobodyIsTold) {
  slow = [&](mcp::ToolContext&) {
    clock.advance(5000);
    EXPECT_TRUE(session->beat()) << "its deadline is looked at";
    return Result<EchoResult>(EchoResult{"done"});
  };
  call("");
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(take().size(), 1U);
}

// A call with a deadline of 1 s, and a handler that may be late by 1 s.
class Deadline : public Heartbeat {
 protected:
  void SetUp() override {
    limits.beat_ms = 250;
    limits.max_call_ms = 1000;
    limits.max_waiting_call_ms = 2000;
    limits.max_late_ms = 1000;
    limits.max_in_flight = 2;
    Heartbeat::SetUp();
    state->on_worker_held = [this] { ++held; };
  }
  bool beat(int times) {
    bool more = false;
    for (int i = 0; i < times; ++i)
      more = session->beat();
    return more;
  }
  int held = 0;
};

TEST_F(Deadline, ACallIsCancelledAndAnswered) {
  slow = [&](mcp::ToolContext& context) {
    clock.advance(5 * kYearMs);  // a clock that is set ends no call
    EXPECT_TRUE(beat(3));
    EXPECT_FALSE(context.stop.stop_requested());
    EXPECT_TRUE(take().empty());
    beat(1);
    EXPECT_TRUE(context.stop.stop_requested());
    const auto answer = take_one();
    EXPECT_EQ(answer.at("error").at("message").as_string().find("ended after 1 s: ask for less"), 0U) << answer;
    return Result<EchoResult>(EchoResult{"too late"});
  };
  call("");
  EXPECT_TRUE(take().empty()) << "it was answered";
  EXPECT_FALSE(session->beat());
  EXPECT_EQ(held, 0);
}

TEST_F(Deadline, WhoWaitsForAPersonHasMoreTime) {
  auto info = sample_info("asks");
  info.waits = true;
  registry.add<Nothing, EchoResult>(std::move(info), [this](const Nothing&, mcp::ToolContext& context) {
    beat(7);
    EXPECT_FALSE(context.stop.stop_requested());
    beat(1);
    EXPECT_TRUE(context.stop.stop_requested());
    return Result<EchoResult>(EchoResult{"late"});
  });
  request("1", "tools/call", R"({"name":"asks"})");
  steps.run_all();
}

// Two handlers that never end hold no place of their connection and no worker.
TEST_F(Deadline, AnotherWorkerTakesThePlaceOfAHeldOne) {
  slow = [](mcp::ToolContext&) { return Result<EchoResult>(EchoResult{"at last"}); };
  request("1", "tools/call", R"({"name":"slow"})");
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  request("2", "tools/call", R"({"name":"slow"})");  // the connection is full
  EXPECT_TRUE(beat(3));
  EXPECT_EQ(held, 0);
  beat(1);
  EXPECT_EQ(held, 1) << "the cancelled one";
  EXPECT_EQ(take().size(), 1U) << "the other one has reached its deadline";
  EXPECT_FALSE(beat(4));
  EXPECT_EQ(held, 2);
  EXPECT_EQ(failures.size(), 2U);
  request("3", "ping");
  EXPECT_EQ(take().size(), 1U) << "the connection is read";
  end_input();
  EXPECT_FALSE(finished) << "two handlers may still use the session";
  steps.run_all();
  EXPECT_TRUE(finished);
}

TEST_F(Deadline, CommandsOfMemdHaveNone) {
  request("1", "memd/status");
  EXPECT_FALSE(beat(100));
  EXPECT_TRUE(take().empty());
  steps.run_all();
  EXPECT_EQ(take().size(), 1U);
}

}  // namespace
}  // namespace memd::test

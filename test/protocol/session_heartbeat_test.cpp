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

TEST_F(Heartbeat, NobodyAskedNobodyIsTold) {
  slow = [&](mcp::ToolContext&) {
    clock.advance(5000);
    EXPECT_FALSE(session->beat());
    return Result<EchoResult>(EchoResult{"done"});
  };
  call("");
  EXPECT_EQ(woken, 0);
  EXPECT_EQ(take().size(), 1U);
}

}  // namespace
}  // namespace memd::test

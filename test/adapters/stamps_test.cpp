// Times of records that are no RFC 3339 texts.
#include "test/adapters/decode_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using testing::ElementsAre;

constexpr TimeMs kTime = 1'795'161'600'000;  // 2026-11-20T08:00:00Z

std::vector<TimeMs> times_of(const test::Decoded& decoded) {
  std::vector<TimeMs> out;
  for (const Event& e : decoded.batch.events)
    if (e.kind == EventKind::user_msg) out.push_back(e.time);
  return out;
}

// Returns the time of a prompt of Claude Code with this member for the time.
TimeMs claude_time(const std::string& member) {
  const Adapter& adapter = *find_adapter(Platform::claude_code);
  const std::string root = "/home/ada/.claude/projects";
  const std::string id = "11111111-1111-4111-8111-111111111111";
  const auto decoded = test::decode_source(
      adapter, adapter.classify(root, root + "/-home-ada-app/" + id + ".jsonl").value(),
      R"({"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/home/ada/app","sessionId":")" + id +
          R"(","version":"2.1.170","type":"user","message":{"role":"user","content":"a prompt"},)" + member +
          R"("uuid":"aaaaaaaa-0000-4000-8000-000000000001"})" + "\n");
  const auto times = times_of(decoded);
  return times.size() == 1 ? times.front() : -1;
}

TEST(Stamps, OfClaudeCode) {
  EXPECT_EQ(claude_time(R"("timestamp":"2026-11-20T08:00:00.000Z",)"), kTime);
  EXPECT_EQ(claude_time(R"("timestamp":"2026-11-20T10:00:00+02:00",)"), kTime);
  EXPECT_EQ(claude_time(R"("timestamp":"2026-11-20T08:00:00",)"), kTime) << "without a zone it is UTC";
  EXPECT_EQ(claude_time(R"("timestamp":1795161600000,)"), kTime);
  EXPECT_EQ(claude_time(R"("timestamp":1795161600,)"), kTime);
  EXPECT_EQ(claude_time(R"("timestamp":"1795161600000",)"), kTime);
  EXPECT_EQ(claude_time(R"("timestamp":"1970-01-01T00:00:00.000Z",)"), 0);
  EXPECT_EQ(claude_time(R"("timestamp":-5,)"), 0);
  EXPECT_EQ(claude_time(""), 0);
  EXPECT_GT(claude_time(R"("timestamp":"+010000-01-01T00:00:00.000Z",)"), kTime) << "for the writer to refuse";
}

TEST(Stamps, OfCodex) {
  const Adapter& adapter = *find_adapter(Platform::codex);
  const std::string root = "/home/ada/.codex/sessions";
  const std::string id = "019c0000-0000-7000-8000-000000000001";
  const auto prompt = [](const std::string& stamp, const std::string& text) {
    return R"({"timestamp":)" + stamp +
           R"(,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":")" +
           text + R"("}]}})" + "\n" + R"({"timestamp":)" + stamp +
           R"(,"type":"event_msg","payload":{"type":"user_message","message":")" + text + R"(","images":[]}})" + "\n";
  };
  const auto decoded = test::decode_source(
      adapter, adapter.classify(root, root + "/2026/11/20/rollout-2026-11-20T08-00-00-" + id + ".jsonl").value(),
      R"({"timestamp":1795161600000,"type":"session_meta","payload":{"id":")" + id +
          R"(","timestamp":"2026-11-20T08:00:00.000Z","cwd":"/home/ada/app","cli_version":"0.154.0","source":"cli"}})" +
          "\n" + prompt("1795161600", "seconds") + prompt("\"1795161600000\"", "a text"));
  EXPECT_THAT(times_of(decoded), ElementsAre(kTime, kTime, kTime, kTime)) << "each prompt and its repetition";
}

}  // namespace
}  // namespace memd

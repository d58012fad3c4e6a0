#include "adapters/registry.hpp"
#include "test/adapters/decode_source.hpp"

#include <gmock/gmock.h>

namespace memd {
namespace {

// Decodes records of pi 1.6.
EventBatch pi_events(const std::string& records) {
  return test::decode_source(
             adapter<Platform::pi>(),
             {Platform::pi, "/home/ada/.pi/agent/sessions/--shop--/2026_019ca900.jsonl", SourceFormat::jsonl}, records)
      .batch;
}

std::string pi_entry(const std::string& type, const std::string& inside) {
  return R"({"type":")" + type + R"(","id":"a1","parentId":null,"timestamp":"2026-11-20T10:00:05.000Z",)" + inside +
         "}\n";
}

constexpr auto kPiSpent =
    R"("usage":{"input":290,"output":12,"cacheRead":5,"cacheWrite":8,"cacheWrite1h":3,"cost":{"total":0.002}})";

TEST(PiAdapter, CallsOfAScriptAreCalls) {
  const EventBatch batch = pi_events(
      pi_entry("message",
               R"("message":{"role":"toolResult","toolCallId":"c","toolName":"codemode","isError":false,)"
               R"("content":[{"type":"text","text":"Script completed"}],"nestedCalls":{"complete":true,"calls":[)"
               R"({"id":"c/1","name":"edit","arguments":{"path":"/shop/price.ini",)"
               R"("edits":[{"oldText":"10","newText":"12"}]},"status":"ok"},)"
               R"({"id":"c/2","name":"read","arguments":{"path":"/shop/none.ini"},"status":"error","error":"ENOENT"},)"
               R"({"id":"c/3","name":"bash","argumentsBytes":90000,"status":"unfinished"}]}})"));
  EXPECT_TRUE(batch.diagnostics.empty());
  std::vector<std::string> told;
  for (const Event& e : batch.events)
    told.push_back(std::string(to_string(e.kind)) + " " + e.call_id + " " + e.tool + (e.is_error ? " failed" : "") +
                   (e.files.empty() ? "" : " " + e.files.front().path));
  EXPECT_THAT(told, testing::ElementsAre("tool_result c codemode", "tool_call c/1 edit /shop/price.ini",
                                         "tool_result c/1 edit", "tool_call c/2 read /shop/none.ini",
                                         "tool_result c/2 read failed", "tool_call c/3 bash"));
}

TEST(PiAdapter, TokensOfSummariesToolsAndWarmCachesCount) {
  const std::string spent = kPiSpent;
  for (const std::string& record :
       {pi_entry("compaction", R"("summary":"The price is 12.","tokensBefore":300,)" + spent),
        pi_entry("branch_summary", R"("summary":"It was left.","fromId":"a0",)" + spent),
        pi_entry("usage", R"("kind":"cache_warm","model":"m",)" + spent),
        pi_entry("message",
                 R"("message":{"role":"toolResult","toolCallId":"c","toolName":"t","content":[],)" + spent + "}")}) {
    const EventBatch batch = pi_events(record);
    ASSERT_FALSE(batch.events.empty()) << record;
    EXPECT_EQ(batch.events.front().usage, (TokenUsage{290, 12, 5, 8, 3, 0})) << record;
    EXPECT_NE(batch.events.front().response_key, 0U) << record;
    EXPECT_TRUE(batch.diagnostics.empty()) << record;
  }
}

TEST(PiAdapter, InstructionsAndEditsOfTheContextAreNoWordsOfASession) {
  const EventBatch batch =
      pi_events(pi_entry("message", R"("message":{"role":"system","content":"","sections":{"cwd":"/shop"}})") +
                pi_entry("context_edit", R"("targetId":"a0","replacement":null)"));
  EXPECT_TRUE(batch.events.empty());
  EXPECT_TRUE(batch.diagnostics.empty());
}

}  // namespace
}  // namespace memd

#include "adapters/events_v1/foreign_export.hpp"
#include "adapters/adapter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

// Exports of conversations from other programs become lines of events.v1, which the reader of imports takes whole.
namespace memd::events_v1 {
namespace {

using testing::ElementsAre;

struct Read {
  ConvertedExport count;
  EventBatch batch;
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const Event& e : batch.events)
      if (e.kind != EventKind::lifecycle)
        out.push_back(std::string(to_string(e.kind)) + ": " + (e.text.empty() ? e.summary : e.text));
    return out;
  }
};

Read read(ExportFormat expected, std::string_view file) {
  EXPECT_EQ(export_format(file), expected);
  Read out;
  const auto decoder = find_adapter(Platform::imported)->open(Source{});
  out.count = convert_export(expected, std::string(file), "2026-03-01_10-00Z-bread", [&](std::string_view line) {
    std::string padded(line);
    padded.append(kRecordPadding, ' ');
    decoder->decode({std::string_view(padded).substr(0, line.size()), 1, true}, out.batch);
  });
  for (const auto& line : out.batch.coverage)
    EXPECT_EQ(line.disposition, Disposition::indexed) << line.record_type << " " << line.reason;
  EXPECT_TRUE(out.batch.diagnostics.empty());
  return out;
}

TEST(ForeignExport, ClaudeAi) {
  const Read read_back =
      read(ExportFormat::claude_ai, R"([{"uuid":"c-1","name":"Rye bread","created_at":"2026-03-01T10:00:00.000000Z",
"chat_messages":[{"uuid":"m-1","sender":"human","created_at":"2026-03-01T10:00:01.000000Z","text":"How long does rye rise?","content":[],
"attachments":[{"file_name":"dough.txt","extracted_content":"x"}]},
{"uuid":"m-2","sender":"assistant","created_at":"2026-03-01T10:00:05.000000Z","text":"","content":[{"type":"thinking","thinking":"Sourdough."},
{"type":"tool_use","name":"search","input":{"query":"rye"}},{"type":"tool_result","content":[{"type":"text","text":"12 hours"}]},
{"type":"text","text":"Twelve hours."}]}]},{"uuid":"c-2","name":"","chat_messages":[]}])");
  EXPECT_EQ(read_back.count.conversations, 2U);
  EXPECT_EQ(read_back.count.damaged, 0U);
  EXPECT_THAT(read_back.texts(),
              ElementsAre("user_msg: How long does rye rise?\n\n[file: dough.txt]", "thinking: Sourdough.",
                          "tool_call: search: rye", "tool_result: 12 hours", "assistant_msg: Twelve hours."));
  EXPECT_EQ(read_back.batch.events.back().session_uid, "imported:claude.ai/c-1");
}

TEST(ForeignExport, Opencode) {
  const Read read_back =
      read(ExportFormat::opencode, R"({"info":{"id":"ses_1","title":"Ovens","directory":"/home/ada/shop",
"time":{"created":1772359200000,"updated":1772359260000}},"messages":[
{"info":{"id":"msg_1","role":"user","time":{"created":1772359200000}},"parts":[
 {"id":"prt_1","type":"text","text":"List the ovens."},{"id":"prt_2","type":"text","synthetic":true,"text":"Called the Read tool"}]},
{"info":{"id":"msg_2","role":"assistant","modelID":"gpt-5","time":{"created":1772359205000}},"parts":[
 {"id":"prt_3","type":"step-start"},{"id":"prt_4","type":"reasoning","text":"A file lists them."},
 {"id":"prt_5","type":"tool","tool":"read","callID":"c1","state":{"status":"completed","input":{"filePath":"/home/ada/shop/ovens.txt"},"output":"two"}},
 {"id":"prt_6","type":"tool","tool":"bash","callID":"c2","state":{"status":"error","input":{"command":"ls"},"error":"denied"}},
 {"id":"prt_7","type":"text","text":"There are two."}]}]})");
  EXPECT_EQ(read_back.count.conversations, 1U);
  EXPECT_EQ(read_back.count.damaged, 0U);
  EXPECT_THAT(read_back.texts(), ElementsAre("user_msg: List the ovens.", "thinking: A file lists them.",
                                             testing::StartsWith("tool_call: read"), "tool_result: two",
                                             testing::StartsWith("tool_call: bash"), "tool_result: denied",
                                             "assistant_msg: There are two."));
  EXPECT_EQ(read_back.batch.sessions.front().cwd, "/home/ada/shop");
  EXPECT_EQ(read_back.batch.events.back().session_uid, "imported:opencode/ses_1");
}

TEST(ForeignExport, ChatGpt) {
  const Read read_back =
      read(ExportFormat::chatgpt,
           R"([{"title":"Spelt","create_time":1772359200.5,"conversation_id":"g-1","current_node":"n3","mapping":{
"n3":{"id":"n3","parent":"n2","message":{"id":"n3","author":{"role":"assistant"},"recipient":"all","create_time":1772359203.0,"content":{"content_type":"text","parts":["Yes, milled."]},"metadata":{"model_slug":"gpt-test"}}},
"root":{"id":"root","parent":null,"message":null},
"n1":{"id":"n1","parent":"root","message":{"id":"n1","author":{"role":"user"},"recipient":"all","create_time":1772359201.0,"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"x"},"Is spelt a grain?"]},"metadata":{}}},
"n2":{"id":"n2","parent":"n1","message":{"id":"n2","author":{"role":"assistant"},"recipient":"all","create_time":1772359202.0,"content":{"content_type":"thoughts","thoughts":[{"content":"A wheat."}]},"metadata":{}}}}}])");
  EXPECT_THAT(read_back.texts(), ElementsAre("user_msg: Is spelt a grain?\n\n[image]", "thinking: A wheat.",
                                             "assistant_msg: Yes, milled."));
  EXPECT_EQ(read_back.batch.events.back().model, "gpt-test");
}

TEST(ForeignExport, Gemini) {
  const Read read_back =
      read(ExportFormat::gemini,
           R"([{"header":"Gemini Apps","title":"Prompted What is a poolish?","time":"2026-03-01T10:00:00.000Z",
"products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>A wet pre-dough.</p><p>Flour &amp; water.</p>"}]}])");
  EXPECT_THAT(read_back.texts(),
              ElementsAre("user_msg: What is a poolish?", "assistant_msg: A wet pre-dough.\nFlour & water."));
}

TEST(ForeignExport, SpecStory) {
  const Read read_back = read(ExportFormat::specstory, R"(<!-- Generated by SpecStory, Markdown v2.1.0 -->

# Shape the loaf

<!-- Claude Code Session 7d0c (2026-03-01 10:00:00Z) -->

_**User (2026-03-01 10:00:00Z)**_

Shape the loaf.

---

_**Agent (claude-test 2026-03-01 10:00:07Z)**_

Shaped.

---
)");
  EXPECT_THAT(read_back.texts(), ElementsAre("user_msg: Shape the loaf.", "assistant_msg: Shaped."));
  EXPECT_EQ(read_back.batch.sessions.front().title, "Shape the loaf");
  EXPECT_EQ(read_back.batch.events.back().time - read_back.batch.events.front().time, 7000);
}

TEST(ForeignExport, ALogThatNamesNoSessionIsOne) {
  const std::string first =
      R"({"v":1,"id":"a","ts":"2026-03-03T09:12:00Z","actor":"user","kind":"message","body":{"text":"How hot?"}})"
      "\n";
  const std::string more =
      R"({"v":1,"id":"b","ts":"2026-03-03T09:12:05Z","actor":"agent","kind":"message","body":{"text":"240."}})"
      "\n";
  const Read early = read(ExportFormat::sessionless, first);
  const Read late = read(ExportFormat::sessionless, first + more);
  EXPECT_THAT(late.texts(), ElementsAre("user_msg: How hot?", "assistant_msg: 240."));
  ASSERT_EQ(late.batch.events.size(), 2U);
  EXPECT_TRUE(late.batch.events.front().session_uid.starts_with("imported:log-"));
  EXPECT_EQ(late.batch.events.front().session_uid, early.batch.events.front().session_uid);
  EXPECT_EQ(late.batch.events.back().session_uid, early.batch.events.front().session_uid);
}

TEST(ForeignExport, OtherFilesAreLeftAlone) {
  EXPECT_EQ(export_format(R"({"v":1,"id":"1","ts":"2026-03-03T09:12:00Z"})"), ExportFormat::none);
  EXPECT_EQ(export_format("# A page"), ExportFormat::none);
  EXPECT_EQ(export_format(R"([{"title":"x"}])"), ExportFormat::none);
}

TEST(ForeignExport, ADamagedConversationIsCounted) {
  std::size_t lines = 0;
  const auto count =
      convert_export(ExportFormat::claude_ai, R"([{"uuid":"c-1","name":"Rye","chat_messages":[]},{"uuid":"c-2","na)",
                     "x", [&](std::string_view) { ++lines; });
  EXPECT_EQ(count.conversations, 1U);
  EXPECT_EQ(count.damaged, 1U);
  EXPECT_EQ(lines, 1U);
}

}  // namespace
}  // namespace memd::events_v1

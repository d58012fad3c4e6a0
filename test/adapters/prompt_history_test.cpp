#include "adapters/codex/record_context.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "schemas/base/hash.hpp"
#include "test/adapters/decode_source.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

const Adapter& claude_code() { return *find_adapter(Platform::claude_code); }

test::Decoded decode_history(const std::string& content) {
  const std::string file = "/home/ada/.claude/history.jsonl";
  return test::decode_source(claude_code(), claude_code().classify(file, file).value(), content);
}

TEST(ClaudeCodeHistory, StandsBesideTheTranscripts) {
  const std::string file = "/home/ada/.claude/history.jsonl";
  EXPECT_TRUE(claude_code().classify(file, file));
  EXPECT_FALSE(claude_code().classify("/home/ada/.claude/projects", file));
  EXPECT_EQ(claude_code().session_uid({Platform::claude_code, file}, R"({"sessionId":"s-1"})"), "");
  // The transcript of a project may have any name.
  const auto transcript =
      claude_code().classify("/home/ada/.claude/projects", "/home/ada/.claude/projects/-a/history.jsonl");
  ASSERT_TRUE(transcript);
  EXPECT_EQ(claude_code().session_uid(*transcript, R"({"sessionId":"s-1"})"), "claude_code:s-1@-a");
  const auto roots = claude_code().roots({"/home/ada", {"/mnt/b/projects"}});
  EXPECT_EQ(roots.back(), "/mnt/b/history.jsonl");
}

TEST(ClaudeCodeHistory, LinesBecomePrompts) {
  const std::string content =
      R"({"display":"fix [Pasted text #1 +2 lines] and [Pasted text #12]","pastedContents":{"1":{"id":1,"type":"text","content":"a\nb"},"12":{"id":12,"type":"text","contentHash":"x"}},"timestamp":1772618400000,"project":"/w/p","sessionId":"11111111-1111-4111-8111-111111111111"})"
      "\n"
      R"({"display":"/clear ","pastedContents":{},"timestamp":1772618401000,"project":"/w/p","sessionId":"s"})"
      "\n"
      R"({"display":"/review my work","pastedContents":{},"timestamp":1772618402000,"project":"/w/p"})"
      "\n"
      R"({"display":"  ","timestamp":1772618403000,"project":"/w/p"})"
      "\n{\"display\":\"torn\n"
      R"({"display":"when?","project":"/w/p"})"
      "\n"
      R"({"display":"again","timestamp":1772618405000,"project":"/w/p.x","sessionId":"s-1"})"
      "\n"
      R"({"display":"no newline","timestamp":1772618404000,"project":"/w/p"})";
  const auto decoded = decode_history(content);
  ASSERT_EQ(decoded.batch.events.size(), 4u);
  const Event& first = decoded.batch.events[0];
  EXPECT_EQ(first.text, "fix a\nb and [Pasted text #12]");
  EXPECT_EQ(first.session_uid, "claude_code:11111111-1111-4111-8111-111111111111");
  EXPECT_EQ(first.origin, Origin::history);
  EXPECT_EQ(first.time, 1772618400000);
  EXPECT_EQ(first.cwd, "/w/p");
  EXPECT_TRUE(first.starts_exchange);
  char day[64];
  std::snprintf(day, sizeof day, "claude_code:history-%016llx-2026-03-04",
                static_cast<unsigned long long>(hash64("/w/p")));
  EXPECT_EQ(decoded.batch.events[1].text, "/review my work");
  EXPECT_EQ(decoded.batch.events[1].session_uid, day);
  EXPECT_EQ(decoded.batch.events[2].session_uid, "claude_code:s-1@-w-p-x");
  EXPECT_EQ(decoded.batch.events[3].session_uid, day);

  std::uint64_t bytes = 0;
  for (const auto& line : decoded.batch.coverage)
    bytes += line.bytes;
  EXPECT_EQ(bytes, content.size());
  EXPECT_EQ(decoded.batch.diagnostics.size(), 2u);  // one torn record, one without a time

  std::string padded = content;
  padded.resize(content.size() + kRecordPadding);
  EXPECT_EQ(claude_code().event_text(std::string_view(padded).substr(first.raw.offset, first.raw.length),
                                     EventKind::user_msg, 0),
            first.text);
}

TEST(PatchText, FilesAndLines) {
  using tool_calls::patched_files;
  const auto files = patched_files(
      "cd x\n*** Begin Patch\r\n*** Add File: a b.c\r\n+1\r\n+2\r\n*** Update File: d.c\r\n"
      "*** Move to: e.c\r\n@@\r\n-1\r\n--2\r\n++3\r\n*** End Patch\nmake\n+no\n"
      "*** Begin Patch\n*** Delete File: gone\n*** Update File: a b.c\n+4");
  const std::vector<FileTouch> want{{"a b.c", FileAccess::modified, 3, 0},
                                    {"d.c", FileAccess::modified, 0, 0},
                                    {"e.c", FileAccess::modified, 1, 2},
                                    {"gone", FileAccess::modified, 0, 0, true}};
  EXPECT_EQ(files, want);
  EXPECT_TRUE(patched_files("*** End Patch\n*** Add File: x\n+1").empty());
  EXPECT_EQ(tool_calls::without_patches("a\n*** Begin Patch\nx\n*** End Patch\nb"), "a\n\nb");
  FileTouch touch;
  tool_calls::count_diff_lines("--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- sql\n+y\n z\n", touch);
  EXPECT_EQ(touch.lines_added * 10 + touch.lines_removed, 11);
}

TEST(ScriptText, CommandsOfAScript) {
  using codex::script_commands;
  const std::vector<std::string> want{"cd \"a b\" && ls", "make\ntest", "x"};
  EXPECT_EQ(script_commands(R"(await t.exec({cmd: "cd \"a b\" && ls", n:1}); f({ 'cmd' : 'make\ntest'}); ({cmd:`x`}))"),
            want);
  EXPECT_TRUE(script_commands("const cmd = 'ls'; run({xcmd:'a', cmd:cmd, cmd2:'b'}); {cmd:\"open").empty());
}

TEST(CodexHumanText, Voices) {
  using codex::classify_user_text;
  using codex::UserTextKind;
  EXPECT_EQ(classify_user_text("hello").kind, UserTextKind::human);
  EXPECT_EQ(classify_user_text(" \n").kind, UserTextKind::nothing);
  EXPECT_EQ(classify_user_text("<ENVIRONMENT_CONTEXT>x</environment_context> ").kind, UserTextKind::injected);
  EXPECT_EQ(classify_user_text("<environment_context> is what?").kind, UserTextKind::human);
  EXPECT_EQ(classify_user_text("# A heading\nof my own").kind, UserTextKind::human);
  EXPECT_EQ(classify_user_text("# Context from my IDE setup:\n\n## My request for Codex:\n ").kind,
            UserTextKind::nothing);
  const auto shell = classify_user_text(
      "<user_shell_command>\n<command>\nls\n</command>\n<result>\nok\n</result>\n</user_shell_command>");
  EXPECT_EQ(shell.kind, UserTextKind::shell);
  EXPECT_EQ(std::string(shell.text) + "|" + std::string(shell.output), "ls|ok");
}

// The store keeps the beginning of a call's prompt; the record has all of it.
TEST(CodexTurnItems, ThePromptOfACallIsReadWhole) {
  const std::string prompt(20'000, 'x');
  for (const std::string item : {R"("type":"CollabAgentToolCall","tool":"spawn_agent","prompt")",
                                 R"("type":"ImageGeneration","revised_prompt")", R"("type":"ImageView","path")"}) {
    const std::string record =
        R"({"type":"event_msg","payload":{"type":"item_completed","item":{"id":"call_AAAAAAAAAAAAAAAAAAAAAA05",)" +
        item + ":\"" + prompt + "\"}}}";
    const std::string padded = record + std::string(kRecordPadding, ' ');
    EXPECT_EQ(find_adapter(Platform::codex)
                  ->event_text(std::string_view(padded).substr(0, record.size()), EventKind::tool_call, 0),
              prompt)
        << item;
  }
}

}  // namespace
}  // namespace memd

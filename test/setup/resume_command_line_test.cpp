#include "daemon/cli/resume_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace memd::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SessionRow session_of(Platform platform, std::string source = {}) {
  SessionRow s;
  s.uid = std::string(to_string(platform)) + ":0000-1";
  s.platform = platform;
  s.native_id = "0000-1";
  s.source_path = std::move(source);
  return s;
}

TEST(ResumeCommandLine, OfEachAgent) {
  const auto words = [](const SessionRow& s) { return resume_command_line(s).value().words; };
  EXPECT_THAT(words(session_of(Platform::claude_code)), ElementsAre("claude", "--resume", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::codex)), ElementsAre("codex", "resume", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::gemini)), ElementsAre("gemini", "--resume", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::opencode)), ElementsAre("opencode", "--session", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::qwen)), ElementsAre("qwen", "--resume", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::copilot)), ElementsAre("copilot", "--resume", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::droid)), ElementsAre("droid", "--resume", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::kimi)), ElementsAre("kimi", "--session", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::pi, "/home/ada/.pi/agent/sessions/a/1.jsonl")),
              ElementsAre("pi", "--session", "/home/ada/.pi/agent/sessions/a/1.jsonl"));
  EXPECT_THAT(words(session_of(Platform::cursor, "/home/ada/.cursor/chats/a/store.db")),
              ElementsAre("cursor-agent", "--resume", "0000-1"));
  EXPECT_THAT(words(session_of(Platform::cline, "/home/ada/.cline/data/tasks/1")),
              ElementsAre("cline", "--id", "0000-1"));
}

TEST(ResumeCommandLine, OfAnAgentThatStartsWithAPrompt) {
  const auto words = [](std::string_view client) { return start_command_line(client, "Go on.").value().words; };
  EXPECT_THAT(words("claude-code"), ElementsAre("claude", "Go on."));
  EXPECT_THAT(words("gemini"), ElementsAre("gemini", "--prompt-interactive", "Go on."));
  EXPECT_THAT(words("qwen"), ElementsAre("qwen", "--prompt-interactive", "Go on."));
  EXPECT_THAT(words("copilot"), ElementsAre("copilot", "--interactive", "Go on."));
  EXPECT_THAT(words("kilo"), ElementsAre("kilo", "--prompt", "Go on."));
  EXPECT_THAT(words("openhands"), ElementsAre("openhands", "--task", "Go on."));
  EXPECT_THAT(words("vibe"), ElementsAre("vibe", "Go on."));
}

TEST(ResumeCommandLine, AnAgentThatCannotSaysSo) {
  const auto error = [](const SessionRow& s) {
    const auto command = resume_command_line(s);
    return command ? std::string() : command.error().context;
  };
  EXPECT_THAT(error(session_of(Platform::cursor, "/home/ada/.config/Cursor/User/globalStorage/state.vscdb")),
              HasSubstr("history panel"));
  EXPECT_THAT(error(session_of(Platform::thunderus)), HasSubstr("memd handoff thunderus:0000-1 --to AGENT"));
  SessionRow option = session_of(Platform::codex);
  option.native_id = "--dangerously";
  EXPECT_THAT(error(option), HasSubstr("no id that can be opened"));
  EXPECT_FALSE(start_command_line("zed", "x"));
}

TEST(ResumeCommandLine, IsQuotedForAShell) {
  EXPECT_EQ(as_shell_line({{"claude", "--resume", "a b"}}, "/home/ada's"),
            "cd '/home/ada'\\''s' && claude --resume 'a b'");
}

}  // namespace
}  // namespace memd::cli

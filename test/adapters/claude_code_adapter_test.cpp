#include "adapters/claude_code/record_context.hpp"
#include "schemas/command_purpose.hpp"
#include "schemas/ids.hpp"
#include "test/adapters/decode_source.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

const Adapter& claude() { return *find_adapter(Platform::claude_code); }

constexpr std::string_view kRoot = "/home/ada/.claude/projects";
constexpr std::string_view kSession = "11111111-1111-4111-8111-111111111111";

std::string uid_of(std::string_view relative, std::string_view head = {}) {
  const auto candidate = claude().classify(kRoot, std::string(kRoot) + "/" + std::string(relative));
  return candidate ? claude().session_uid(*candidate, head) : "(no source)";
}

TEST(ClaudeCodeAdapter, DescribesItself) {
  const auto& d = claude().describe();
  EXPECT_EQ(d.platform, Platform::claude_code);
  EXPECT_EQ(d.adapter_version, "1.0.0");
  EXPECT_EQ(d.capabilities.size(), kAllCapabilities.size());
  EXPECT_EQ(d.data_completeness, DataCompleteness::full);
  EXPECT_FALSE(d.limitations.empty());
}

TEST(ClaudeCodeAdapter, RootsAreBothDefaultsUnlessOverridden) {
  const auto roots = claude().roots({"/home/ada", {}});
  const std::vector<std::filesystem::path> projects{"/home/ada/.claude/projects", "/home/ada/.config/claude/projects",
                                                    "/home/ada/.claude-*/projects",
                                                    "/home/ada/.claude-profiles/*/projects"};
  ASSERT_EQ(roots.size(), 2 * projects.size());
  for (std::size_t i = 0; i < projects.size(); ++i) {
    EXPECT_EQ(roots[i], projects[i]);
    EXPECT_EQ(roots[i + projects.size()], projects[i].parent_path() / "history.jsonl");
  }
  HomeLayout moved{"/home/ada", {}, [](const char* name) -> std::filesystem::path {
                     return std::string_view(name) == "CLAUDE_CONFIG_DIR" ? "/mnt/claude" : "";
                   }};
  EXPECT_EQ(claude().roots(moved).front(), "/mnt/claude/projects");
  EXPECT_EQ(claude().roots(moved)[1], "/home/ada/.claude/projects");
  EXPECT_EQ(claude().roots({"/home/ada", {"/mnt/old"}}), std::vector<std::filesystem::path>{"/mnt/old"});
}

TEST(ClaudeCodeAdapter, SessionsAreNamedByTheirPlace) {
  const std::string s(kSession);
  EXPECT_EQ(uid_of("-a/" + s + ".jsonl"), "claude_code:" + s);
  EXPECT_EQ(uid_of("-a/" + s + "/subagents/agent-abc.jsonl"), "claude_code:" + s + "/agent-abc");
  EXPECT_EQ(uid_of("-a/" + s + "/subagents/agent-acompact-1f.jsonl"), "claude_code:" + s + "/agent-acompact-1f");
  EXPECT_EQ(uid_of("-a/" + s + "/subagents/agent-abc.meta.json"), "claude_code:" + s + "/agent-abc");
  EXPECT_EQ(uid_of("-a/" + s + "/subagents/workflows/wf_9/agent-b.jsonl"), "claude_code:" + s + "/wf_9/agent-b");
  EXPECT_EQ(uid_of("-a/" + s + "/subagents/workflows/wf_9/journal.jsonl"), "claude_code:" + s + "/wf_9");
  // The file name is the identity, whatever sessionId the records have.
  EXPECT_EQ(uid_of("-a/" + s + ".jsonl", R"({"sessionId":"other"})"), "claude_code:" + s);
  // If the name has no session id, the first record's is used.
  EXPECT_EQ(uid_of("-a/short.jsonl", R"({"type":"summary"}
{"type":"user","sessionId": "s-1"}
{"sessionId":"s-2"})"),
            "claude_code:s-1@-a")
      << "an id that a program chose, in this folder";
  EXPECT_EQ(uid_of("-b/s-1.jsonl", R"({"sessionId":"s-1"})"), "claude_code:s-1@-b");
  EXPECT_EQ(uid_of("-b/s-1/subagents/agent-abc.jsonl"), "claude_code:s-1@-b/agent-abc");
  EXPECT_EQ(uid_of("-a/other.jsonl", R"({"sessionId":")" + s + R"("})"), "claude_code:" + s);
  EXPECT_EQ(uid_of("-a/agent-abc.jsonl", R"({"sessionId":"s-1"})"), "claude_code:s-1@-a/agent-abc");
  EXPECT_EQ(uid_of("-a/agent-abc.jsonl", R"({"sessionId":"s-)"), "");
  EXPECT_EQ(uid_of("-a/short.jsonl"), "");
}

TEST(ClaudeCodeAdapter, OtherFilesAreNoSources) {
  const std::string s(kSession);
  for (const std::string file :
       {"-a/memory/MEMORY.md", "-a/sessions-index.json", ".jsonl", "-a/.jsonl", "-a/notes.txt"})
    EXPECT_EQ(uid_of(file), "(no source)") << file;
  EXPECT_EQ(uid_of("-a/" + s + "/tool-results/b1.txt"), "(no source)");
  EXPECT_EQ(uid_of("-a/" + s + "/tool-results/b1.jsonl"), "(no source)");
  EXPECT_EQ(uid_of("-a/" + s + "/subagents/notes.jsonl"), "(no source)");
  EXPECT_FALSE(claude().classify(kRoot, "/home/ada/.claude/history.jsonl"));
  EXPECT_FALSE(claude().classify(kRoot, "/tmp/" + s + ".jsonl"));
  EXPECT_TRUE(claude().classify("/mnt/-a", "/mnt/-a/" + s + ".jsonl"));  // a root that is one project
}

struct TextCase {
  std::string record;
  EventKind kind;
  std::uint16_t block;
  std::optional<std::string> text;
};

TEST(ClaudeCodeAdapter, EventTextIsWhole) {
  const std::string long_text(5000, 'x');
  const std::vector<TextCase> cases{
      {R"({"type":"user","uuid":"u","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":")" +
           long_text + R"("}]}})",
       EventKind::tool_result, 0, long_text},
      {R"({"type":"assistant","uuid":"u","message":{"id":"m","content":[{"type":"text","text":"hi"},)"
       R"({"type":"tool_use","id":"t","name":"Bash","input":{"command":"a\nb","timeout":5,"deep":{"x":[1, 2]}}}]}})",
       EventKind::tool_call, 1, "command: a\nb\ntimeout: 5\ndeep: {\"x\":[1, 2]}"},
      {R"({"type":"assistant","uuid":"u","message":{"content":[{"type":"thinking","thinking":"hmm"}]}})",
       EventKind::thinking, 0, "hmm"},
      {R"({"type":"user","uuid":"u","message":{"content":" hello "}})", EventKind::user_msg, 0, "hello"},
      {R"({"type":"user","uuid":"u","message":{"content":" hello "}})", EventKind::user_msg, 3, std::nullopt},
      {R"({"type":"user","uuid":"u","message":{"content":" hel)", EventKind::user_msg, 0, std::nullopt},
  };
  for (const auto& c : cases) {
    const std::string padded = c.record + std::string(kRecordPadding, ' ');
    EXPECT_EQ(claude().event_text(std::string_view(padded).substr(0, c.record.size()), c.kind, c.block), c.text)
        << c.record;
  }
}

// A fork repeats its origin's records under its own session's id.
TEST(ClaudeCodeAdapter, AQueuedPromptIsOneInAForkAndItsOrigin) {
  const std::string origin = "33333333-3333-4333-8333-333333333333";
  const auto told = [](std::string_view session, const std::string& more) {
    const std::string path = std::string(kRoot) + "/-a/" + std::string(session) + ".jsonl";
    return test::decode_source(claude(), claude().classify(kRoot, path).value(),
                               R"({"type":"attachment","uuid":"aaaaaaaa-0000-4000-8000-000000000001","sessionId":")" +
                                   std::string(session) +
                                   R"(","attachment":{"type":"queued_command","prompt":"With an index"})" + more + "}")
        .batch.events.at(0);
  };
  const Event first = told(origin, "");
  const Event copy = told(kSession, R"(,"forkedFrom":{"sessionId":")" + origin +
                                        R"(","messageUuid":"aaaaaaaa-0000-4000-8000-000000000001"})");
  EXPECT_EQ(copy.session_uid, first.session_uid);
  EXPECT_EQ(copy.event_id, first.event_id);
}

TEST(ClaudeCodeAdapter, MovedOutTextStaysBesideTheTranscript) {
  Source source;
  const std::string s(kSession);
  source.path = std::string(kRoot) + "/-a/" + s + ".jsonl";
  const auto moved = [&](std::string_view named) {
    return claude().moved_out_text(
        source, R"({"content":"<persisted-output>\nFull output saved to: )" + std::string(named) + R"(\n\nPreview"})");
  };
  const auto expected = std::filesystem::path(kRoot) / "-a" / s / "tool-results" / "b77.txt";
  EXPECT_EQ(moved("/elsewhere/tool-results/b77.txt"), expected);
  EXPECT_EQ(moved(R"(C:\\Users\\ada\\tool-results\\b77.txt)"), expected);
  EXPECT_EQ(moved("/elsewhere/tool-results/../../../.ssh/id"), std::nullopt);
  EXPECT_EQ(moved("/etc/passwd"), std::nullopt);
  EXPECT_EQ(claude().moved_out_text(source, R"({"content":"see tool-results/b77.txt"})"), std::nullopt);
  source.path = std::string(kRoot) + "/-a/" + s + "/subagents/agent-a.jsonl";
  EXPECT_EQ(moved("/elsewhere/tool-results/b77.txt"), expected);
}

TEST(HumanText, ToldFromWhatTheClientWrites) {
  using claude_code::classify_user_text;
  using claude_code::UserTextKind;
  EXPECT_EQ(classify_user_text("fix <system-reminder> handling").kind, UserTextKind::human);
  EXPECT_EQ(classify_user_text(" \n\t").kind, UserTextKind::nothing);
  EXPECT_EQ(classify_user_text("<teammate-message teammate_id=\"a\">x</teammate-message>").kind,
            UserTextKind::injected);
  EXPECT_EQ(classify_user_text("[Request interrupted by user]").kind, UserTextKind::interrupt);
  const auto typed = [](std::string_view text) { return claude_code::as_typed(classify_user_text(text)); };
  EXPECT_EQ(classify_user_text("<command-name>/clear</command-name>").kind, UserTextKind::command);
  EXPECT_EQ(typed("<command-name>/clear</command-name>"), "/clear");
  EXPECT_EQ(typed("<command-message>review is running…</command-message>\n<command-name>review</command-name>\n"
                  "<command-args> the parser\nand its tests </command-args>"),
            "/review the parser\nand its tests");
  EXPECT_EQ(typed("<command-message>cut off"), "<command-message>cut off");
  EXPECT_EQ(typed("<bash-input>git status</bash-input>"), "git status");
  EXPECT_EQ(typed(" fix <command-name> handling"), "fix <command-name> handling");
  const auto wrapped =
      classify_user_text("<ide_opened_file>a</ide_opened_file>\n<ide_selection>b</ide_selection>\n\xC2\xA0why? ");
  EXPECT_EQ(wrapped.kind, UserTextKind::human);
  EXPECT_EQ(wrapped.text, "why?");
}

TEST(HumanText, RejectionWords) {
  using claude_code::rejection_words;
  const std::string said =
      "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n";
  EXPECT_EQ(rejection_words(said + "use sqlite"), "use sqlite");
  EXPECT_EQ(rejection_words(said + "use sqlite\n\nNote: The user's next message may contain a correction"),
            "use sqlite");
  EXPECT_EQ(rejection_words(said + "The user wants to clarify these questions.\n    This means"), "");
  EXPECT_EQ(rejection_words("grep: the user said:\nhello"), "");
}

TEST(TestCommand, CommandWordsOnly) {
  for (const auto* yes : {"go test ./...",
                          "cd x && FOO=1 go test ./... 2>&1 | tail -5",
                          "pytest -q",
                          "python3 -m pytest tests",
                          "uv run pytest",
                          "npx vitest run",
                          "npm test",
                          "npm run test:unit",
                          "pnpm test",
                          "yarn run test",
                          "cargo test --all",
                          "cargo nextest run",
                          "mix test test/a_test.exs",
                          "ctest --preset dev",
                          "bundle exec rspec",
                          "make check",
                          "make -j4 test",
                          "mvn -q test",
                          "./gradlew :app:test",
                          "dotnet test",
                          "timeout 60 ctest",
                          "env A=b jest",
                          "(cd build; ctest)",
                          "mise run test:ci",
                          "ls\ngo test ./pkg",
                          "go vet ./... && go test -race ./..."})
    EXPECT_TRUE(runs_tests(yes)) << yes;
  for (const auto* no : {"grep -r 'go test' .", "echo pytest", "git commit -m 'run ctest'", "cat test/a.cpp", "ls test",
                         "go build ./...", "npm run build", "npm install jest", "test -f x", "vim pytest.ini",
                         "rg \"a && go test\"", "", "   "})
    EXPECT_FALSE(runs_tests(no)) << no;
}

}  // namespace
}  // namespace memd

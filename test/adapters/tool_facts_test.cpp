// Facts that tool inputs and results give beyond their text.
#include "adapters/tool_calls/todo_input.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/command_purpose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace memd::tool_calls {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ToolFacts facts_of(std::string tool, std::string_view input) {
  json::TextReader reader;
  Event call;
  call.tool = std::move(tool);
  read_tool_input_text(
      reader, input, [](std::string_view) { return std::optional<FileAccess>(); }, call);
  return call.facts;
}

std::vector<std::string> told(const std::optional<TodoUpdate>& update) {
  std::vector<std::string> out;
  if (!update) return out;
  for (const TodoItem& item : update->items)
    out.push_back(item.key + "|" + item.text + "|" + std::string(to_string(item.state)));
  return out;
}

TEST(TodoInput, WholeListsOfAllAgents) {
  const auto claude = facts_of("TodoWrite", R"({"todos":[{"content":"Read caf\u00e9","status":"completed",)"
                                            R"("activeForm":"Reading"},{"content":"Write","status":"in_progress"}]})");
  ASSERT_TRUE(claude.todos);
  EXPECT_TRUE(claude.todos->replaces);
  EXPECT_THAT(told(claude.todos), ElementsAre("|Read café|done", "|Write|in_progress"));
  EXPECT_THAT(told(facts_of("update_plan", R"({"explanation":"x","plan":[{"step":"a","status":"pending"}]})").todos),
              ElementsAre("|a|pending"));
  EXPECT_THAT(
      told(
          facts_of("write_todos", R"({"todos":[{"description":"a","status":"cancelled"},{"description":"b"}]})").todos),
      ElementsAre("|a|dropped", "|b|pending"));
  EXPECT_THAT(
      told(facts_of("todowrite", R"({"todos":[{"id":"1","content":"a","status":"in_progress","priority":"high"}]})")
               .todos),
      ElementsAre("1|a|in_progress"));
  EXPECT_THAT(told(facts_of("update_todo_list", R"({"todos":"[x] a\n[-] b\n[ ] c"})").todos),
              ElementsAre("|a|done", "|b|in_progress", "|c|pending"));
}

TEST(TodoInput, AnEmptiedList) {
  const auto facts = facts_of("TodoWrite", R"({"todos":[]})");
  ASSERT_TRUE(facts.todos);
  EXPECT_TRUE(facts.todos->replaces);
  EXPECT_THAT(facts.todos->items, IsEmpty());
}

TEST(TodoInput, ChangesOfAList) {
  const auto cursor =
      facts_of("todo_write", R"({"merge":true,"todos":[{"id":"2","status":"completed"},{"id":"3","content":"new"}]})");
  ASSERT_TRUE(cursor.todos);
  EXPECT_FALSE(cursor.todos->replaces);
  EXPECT_THAT(told(cursor.todos), ElementsAre("2||done", "3|new|unstated"));
  const auto claude = facts_of("TaskUpdate", R"({"taskId":"4","status":"deleted"})");
  ASSERT_TRUE(claude.todos);
  EXPECT_FALSE(claude.todos->replaces);
  EXPECT_THAT(told(claude.todos), ElementsAre("4||dropped"));
}

TEST(TodoInput, AChecklistBesideAnyInput) {
  const auto facts = facts_of("execute_command", R"({"command":"make","task_progress":"- [x] a\n  - [ ] b\nnotes"})");
  EXPECT_THAT(told(facts.todos), ElementsAre("|a|done", "|b|pending"));
  EXPECT_THAT(facts.commands, SizeIs(1));
}

TEST(TodoInput, OtherToolsAndInputsKeepNoList) {
  EXPECT_FALSE(facts_of("mcp__linear__create", R"({"todos":[{"content":"a"}]})").todos);
  EXPECT_FALSE(facts_of("TodoWrite", R"({"todos":[{}]})").todos);
  EXPECT_FALSE(facts_of("todo_write", R"({"merge":true,"todos":[]})").todos);
  EXPECT_FALSE(facts_of("TodoWrite", R"({"todos":null})").todos);
  EXPECT_FALSE(facts_of("TodoWrite", R"({"todos":["a",1,{"status":"completed"}]})").todos);
  EXPECT_FALSE(facts_of("ExitPlanMode", R"({"plan":"- [ ] a"})").todos);
  EXPECT_FALSE(facts_of("TaskUpdate", R"({"status":"completed"})").todos);
  EXPECT_FALSE(facts_of("TaskUpdate", R"({"taskId":"4","addBlockedBy":["2"]})").todos);
}

TEST(TodoInput, IsBounded) {
  std::string list;
  for (std::size_t i = 0; i < 2 * kMostTodoItems; ++i)
    list += "- [ ] " + std::string(2 * kTodoTextLimit, 'x') + "\n";
  const auto items = read_checklist(list);
  ASSERT_EQ(items.size(), kMostTodoItems);
  EXPECT_EQ(items.back().text.size(), kTodoTextLimit);
}

TEST(CommandFacts, LineDirectoryAndBackground) {
  const auto codex = facts_of("shell", R"({"command":["bash","-lc","go test ./... \\\n -run A"],"workdir":"/w/p"})");
  ASSERT_THAT(codex.commands, SizeIs(1));
  EXPECT_EQ(codex.commands[0].line, "go test ./... \\\n -run A");
  EXPECT_EQ(codex.commands[0].directory, "/w/p");
  EXPECT_EQ(codex.commands[0].purpose, CommandPurpose::test);
  EXPECT_FALSE(codex.commands[0].in_background);
  const auto claude = facts_of("Bash", R"({"command":"npm run build","run_in_background":true})");
  ASSERT_THAT(claude.commands, SizeIs(1));
  EXPECT_TRUE(claude.commands[0].in_background);
  EXPECT_EQ(claude.commands[0].purpose, CommandPurpose::build);
  EXPECT_EQ(facts_of("run_shell_command", R"({"command":"ls","dir_path":"src"})").commands.at(0).directory, "src");
}

TEST(CommandFacts, ALongLineIsCutBetweenCharacters) {
  std::string line = "echo ";
  while (line.size() <= kCommandLineLimit)
    line += "é";
  const auto facts = facts_of("Bash", R"({"command":")" + line + "\"}");
  ASSERT_THAT(facts.commands, SizeIs(1));
  EXPECT_FALSE(facts.commands[0].is_whole);
  EXPECT_EQ(facts.commands[0].line, line.substr(0, kCommandLineLimit - 1));
  EXPECT_TRUE(facts_of("Bash", R"({"command":"ls"})").commands.at(0).is_whole);
}

TEST(CommandFacts, OnlyToolsThatRunCommands) {
  for (const char* tool : {"Bash", "shell", "exec_command", "run_terminal_cmd", "execute_command", "local_shell"})
    EXPECT_THAT(facts_of(tool, R"({"command":"ls"})").commands, SizeIs(1)) << tool;
  for (const char* tool : {"BashOutput", "KillShell", "str_replace_editor", "Skill", ""})
    EXPECT_THAT(facts_of(tool, R"({"command":"view"})").commands, IsEmpty()) << tool;
  EXPECT_THAT(facts_of("Bash", R"({"command":"  "})").commands, IsEmpty());
}

TEST(CommandFacts, WhatALineIsFor) {
  for (const char* line :
       {"make -j8", "cd x && cmake --build out", "cargo build --release", "npm run build:prod", "tsc",
        "FOO=1 ./gradlew assemble", "go build ./...", "npx tsc --noEmit | head", "g++ -c a.cpp"})
    EXPECT_EQ(purpose_of(line), CommandPurpose::build) << line;
  for (const char* line : {"make test",
                           "make && ctest",
                           "cargo test",
                           "go build ./... && go test ./...",
                           "npx playwright test",
                           "uv run pytest",
                           "bash -lc 'cd x && go test ./...'",
                           "docker exec -w /src web pytest -q",
                           "docker compose run --rm web sh -c \"make test\"",
                           "ssh host 'cd x; ctest'",
                           "./build/parser_test --gtest_filter=A.*",
                           "python3 test_parser.py",
                           "ruby -Itest test/parser_test.rb",
                           "./scripts/run_tests.sh",
                           "uv run --extra dev pytest",
                           "pnpm --filter web test",
                           "go -C rates test ./...",
                           "out=$(go test ./... 2>&1)",
                           "if go test ./...; then echo yes; fi",
                           "python manage.py test",
                           "prove -r t"})
    EXPECT_EQ(purpose_of(line), CommandPurpose::test) << line;
  for (const char* line : {"make clean", "ls build", "git commit -m 'go build'", "npm install", "cmake -S . -B out",
                           "npx playwright install", "docker build -t pytest .", "docker run -v $PWD:/test img ls",
                           "cat run_tests.sh", "cat <<'EOF'\ngo test\nEOF", "echo \"go test; go test\"",
                           "pip install pytest", "npm install test", "python train.py --test"})
    EXPECT_EQ(purpose_of(line), CommandPurpose::other) << line;
}

TEST(ResultFacts, ALongTextIsKnownByItsBeginningAndItsLastLines) {
  std::string text;
  for (int i = 0; text.size() < 2 * kResultTextLimit; ++i)
    text += "line " + std::to_string(i) + "\n";
  text += "FAIL\tlast";
  Event result;
  take_result_text(json::Detail::stored, text, result);
  EXPECT_EQ(result.text, text.substr(0, kResultTextLimit));
  EXPECT_TRUE(result.text_end.starts_with("line ")) << result.text_end;
  EXPECT_TRUE(text.ends_with("\n" + result.text_end));
  EXPECT_LE(result.text_end.size(), kResultEndLimit);
  Event whole;
  take_result_text(json::Detail::full, text, whole);
  EXPECT_EQ(whole.text, text);
  Event brief;
  take_result_text(json::Detail::stored, "ok\n", brief);
  EXPECT_EQ(brief.text_end, "");
}

TEST(ResultFacts, TheLastLinesOfAJsonString) {
  const std::string filler(kResultTextLimit, 'x');
  EXPECT_EQ(last_lines_of("\"" + filler + R"(\n2 passed, \"1\" failed")"), "2 passed, \"1\" failed");
  EXPECT_EQ(last_lines_of("\"" + filler + R"(C:\\new no line")"), "") << "an escaped backslash and an n";
  EXPECT_EQ(last_lines_of("\"" + filler + R"(C:\\\nline")"), "line");
  EXPECT_EQ(last_lines_of(R"("short\nline")"), "");
  EXPECT_EQ(last_lines_of("null"), "");
}

TEST(ResultFacts, ExitCodes) {
  EXPECT_EQ(exit_code_behind("Exit Code: ", "Output: Exit Code: 3\nExit Code: 1\nSignal: (none)"), 1);
  EXPECT_EQ(exit_code_behind("Exit Code: ", "Exit Code: 5\nExit Code: -9"), -9);
  EXPECT_EQ(exit_code_behind("Exit Code: ", "Exit Code: (none)"), std::nullopt);
  EXPECT_EQ(exit_code_behind("Exit Code: ", "no Exit Code: 3"), std::nullopt);
}

const std::string kSeven = "https://github.com/o/tool.js/pull/7";
const std::string kNine = "https://git.example.org/group/sub/tool/-/merge_requests/9";

TEST(ResultFacts, ThePullRequestInTheJsonOfATool) {
  const auto found = [](std::string_view json) { return pull_request_in_json(json); };
  EXPECT_EQ(found(R"({"id":"7","url":")" + kSeven + "\"}"), kSeven);
  EXPECT_EQ(found(R"({"url":"https://api.github.com/repos/o/tool.js/pulls/7","diff_url":")" + kSeven +
                  R"(.diff","body":"see https://github.com/o/r/pull/1","html_url": ")" + kSeven + "\"}"),
            kSeven);
  EXPECT_EQ(found(R"([{"type":"text","text":"{\"web_url\":\")" + kNine + R"(\",\"iid\":9}"}])"), kNine);
  for (const std::string_view json :
       {R"({"url":"https://api.github.com/repos/o/r/pulls/7"})",
        R"({"html_url":"https://github.com/o/r/pull/7/files"})", R"({"html_url":null})", R"({"html_url":)",
        R"("html_url)", R"({"body":"https://github.com/o/r/pull/7"})", ""})
    EXPECT_EQ(found(json), "") << json;
}

}  // namespace
}  // namespace memd::tool_calls

// Commands of the command line, run in this process over a home of their own.
#include "daemon/serve/instance_lock.hpp"
#include "schemas/base/time.hpp"
#include "test/support/command_run.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/temp_dir.hpp"
#include "test/support/transcript_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace memd::cli {
namespace {

namespace fs = std::filesystem;
using test::Printed;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CliCommands : public testing::Test {
 protected:
  CliCommands() {
    fs::permissions(data_.path(), fs::perms::owner_all);
    test::write_file(home_.path() / "config.yaml",
                     "retention:\n  max_age_days: 36500\nembedding:\n  provider: disabled\n");
  }

  Printed print(const std::vector<std::string>& words) {
    std::vector<std::string> all{"--home",     home_.path(), "--data-dir",
                                 data_.path(), "--config",   home_.path() / "config.yaml"};
    all.insert(all.end(), words.begin(), words.end());
    return test::run_command(std::move(all));
  }
  boost::json::object json_of(std::vector<std::string> words) {
    words.insert(words.begin(), "--json");
    const Printed printed = print(words);
    EXPECT_EQ(printed.code, 0) << printed.err;
    return boost::json::parse(printed.out).as_object();
  }
  void write_memory(const std::string& name, const std::string& text) {
    const fs::path file = home_.path() / ".claude/memory" / name;
    fs::create_directories(file.parent_path());
    test::write_file(file,
                     "---\ntype: learning\ntags: [made-up]\ncreated: \"2026-01-10T10:00:00Z\"\nupdated: "
                     "\"2026-01-10T10:30:00Z\"\nlinks: []\n---\n\n# A title\n\n" +
                         text);
  }

  test::TranscriptHome home_;
  test::TempDir data_;
};

TEST_F(CliCommands, AProgramGetsTheBytesOfAMemory) {
  const std::string text = "<system-reminder>a\u200Bb</system-reminder>\n</history> & \"x\"\u202E\n";
  write_memory("learning-x.md", text);
  const std::string content(json_of({"memory", "show", "learning-x"}).at("content").as_string());
  EXPECT_TRUE(content.ends_with(text)) << content;
}

TEST_F(CliCommands, AMemoryIsFoundOnceItIsWrittenWithoutADaemon) {
  ASSERT_EQ(print({"ingest", "--once"}).code, 0);
  const fs::path text = home_.path() / "text.md";
  test::write_file(text, "A kestrel hovers over the parser.\n");
  ASSERT_EQ(print({"memory", "write", "--type", "learning", "--title", "Kestrels hover", text}).code, 0);
  EXPECT_THAT(print({"search", "kestrel", "--all-projects"}).out, HasSubstr("Kestrels hover"));
  EXPECT_EQ(print({"memory", "show", "kestrels hover"}).out, print({"memory", "show", "learning-kestrels-hover"}).out);
}

TEST_F(CliCommands, OneMemoryIsNotSeveral) {
  write_memory("learning-x.md", "Text.");
  EXPECT_THAT(print({"memory", "rebuild"}).out, HasSubstr(": 1 memory, 0 files of agents"));
}

TEST_F(CliCommands, AShortListOfMemoriesNamesAllThatAreNotValid) {
  for (const char* name : {"learning-a.md", "learning-b.md", "learning-c.md"})
    write_memory(name, "A text.\n");
  test::write_file(home_.path() / ".claude/memory/learning-z.md", "---\ntype: opinion\n---\n");
  EXPECT_THAT(print({"memory", "list"}).err, HasSubstr("1 file not valid"));
  EXPECT_THAT(print({"memory", "list", "-n", "1"}).err, HasSubstr("1 file not valid"));
  EXPECT_EQ(json_of({"memory", "list", "-n", "2"}).at("memories").as_array().size(), 2U);
}

TEST_F(CliCommands, AShortTimelineHasNoSessionsOfTheRest) {
  constexpr TimeMs kDay = 86'400'000;
  for (int session = 1; session <= 3; ++session)
    home_.turn("/src/p" + std::to_string(session), session, 1'770'000'000'000 + session * kDay, "word", "Why?",
               "Because.");
  home_.turn("/src/p1", 1, 1'770'000'000'000 + 4 * kDay, "word", "Why again?", "Because.");
  ASSERT_EQ(print({"ingest", "--once"}).code, 0);
  const auto sessions = [&](const char* rows) {
    std::vector<std::string> out;
    const auto answer = json_of({"timeline", "--since", "2026-01-01", "--all-projects", "-n", rows});
    for (const auto& s : answer.at("sessions").as_array())
      out.emplace_back(s.at("session_id").as_string());
    return out;
  };
  const auto all = sessions("0");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(sessions("1"), testing::ElementsAre(all[0]));
  EXPECT_THAT(sessions("2"), testing::ElementsAre(all[0], all[1]));
  EXPECT_EQ(sessions("4"), all);
  const std::string day = format_local_minute(1'770'000'000'000 + kDay).substr(0, 10);
  EXPECT_THAT(print({"timeline", "--since", day, "--until", day, "--all-projects"}).out,
              testing::StartsWith("1 turn in 1 session, " + day + " in all projects"));
}

TEST_F(CliCommands, ASessionIsReadFromStartToEnd) {
  constexpr TimeMs kStart = 1'770'000'000'000;
  home_.turn("/src/p", 1, kStart, "word", "Why does it fail?", "Because of the clock.");
  home_.turn("/src/p", 1, kStart + 60'000, "other", "Then mend it.", "Mended.");
  home_.subagent_says("/src/p", 1, kStart + 30'000, "Look at the clock");
  ASSERT_EQ(print({"ingest", "--once"}).code, 0);
  const std::string id = test::TranscriptHome::session_id(1).substr(0, 8);
  EXPECT_THAT(print({"resume", id}).out,
              testing::AllOf(HasSubstr("Then mend it."), HasSubstr("\nGoal\n"), Not(HasSubstr("<history>"))));
  const Printed read = print({"show", id});
  EXPECT_EQ(read.code, 0) << read.err;
  std::size_t at = 0;
  for (const char* part : {"Why does it fail?", "Because of the clock.", "cat /w/word.txt", "subagent", "Then mend it.",
                           "Mended.", "cat /w/other.txt"}) {
    const auto found = read.out.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " in\n" << read.out;
    at = found;
  }
  EXPECT_THAT(read.out, Not(HasSubstr("it says word")));
  const auto runs = json_of({"cmd", "CAT", "txt"});
  EXPECT_EQ(runs.at("total").as_int64(), 2);
  EXPECT_EQ(runs.at("commands").at(0).at("command").as_string(), "cat /w/other.txt");
  EXPECT_THAT(print({"cmd", "word"}).out, testing::AllOf(HasSubstr("cat /w/word.txt"), HasSubstr("/src/p")));
  EXPECT_THAT(print({"fix"}).out, HasSubstr("No failed command"));
  EXPECT_THAT(print({"show", "latest", "--tools"}).out, HasSubstr("it says word"));
  EXPECT_THAT(print({"show", "claude_code:" + id, "--md"}).out, HasSubstr("**User**\n\n> Then mend it."));
  const auto days = json_of({"timeline", "--since", "2026-01-01", "--all-projects"});
  EXPECT_EQ(days.at("total_sessions").as_int64(), 1) << "subagents are no sessions of their own";
  EXPECT_EQ(json_of({"show", id}).at("exchanges").as_array().size(), 2U);
  const Printed unknown = print({"show", "nosuchsession"});
  EXPECT_NE(unknown.code, 0);
  EXPECT_THAT(unknown.err,
              testing::AllOf(HasSubstr("no session \"nosuchsession\""), HasSubstr(id), Not(HasSubstr("<history>"))));
  EXPECT_EQ(print({"show", "c:" + id}).out, read.out);
  EXPECT_NE(print({"show", "x:" + id}).code, 0);
  EXPECT_EQ(print({"show", "x1", "--md"}).code, kUsage);
}

TEST_F(CliCommands, WhatPeopleGuessIsUnderstood) {
  home_.turn("/src/p", 1, system_clock().now() - 1000, "word", "What runs now?", "This does.");
  ASSERT_EQ(print({"ingest", "--once"}).code, 0);
  EXPECT_THAT(print({"today"}).out, HasSubstr("What runs now?"));
  EXPECT_THAT(print({"sessions", "runs"}).err, HasSubstr("`memd search runs`"));
  EXPECT_THAT(print({"memory", "write"}).err, AllOf(HasSubstr("--type, --title are required"),
                                                    HasSubstr("memd memory write --help says what it takes")));
  EXPECT_THAT(print({"memory", "write", "--type", "learning"}).err, HasSubstr("--title is required"));
  EXPECT_THAT(print({"memory", "write", "--titel", "x"}).err, HasSubstr("did you mean --title?"));
  EXPECT_THAT(print({"share"}).err, AllOf(HasSubstr("memd share takes one of: "), Not(HasSubstr("serve"))));
  EXPECT_THAT(print({"share", "serv"}).err, Not(HasSubstr("serve`")));  // memd runs it, people do not
  EXPECT_THAT(print({"timeline", "--all-projects"}).out, HasSubstr("What runs now?"));
  const std::string yesterday = print({"yesterday"}).out;
  EXPECT_THAT(yesterday, HasSubstr("Nothing in this time. The first one after it is"));
  EXPECT_EQ(yesterday.find("Nothing"), yesterday.rfind("Nothing"));
  EXPECT_THAT(yesterday, Not(HasSubstr("0 turns")));
  EXPECT_THAT(print({"list"}).out, HasSubstr("What runs now?"));
  EXPECT_EQ(print({"file-history", "46815ae"}).out, print({"file-history", "--commit", "46815ae"}).out);
  EXPECT_THAT(print({"last"}).out, HasSubstr("This does."));
  EXPECT_EQ(print({"show", "last"}).out, print({"last"}).out);
  EXPECT_THAT(print({"week"}).out, HasSubstr("What runs now?"));
  EXPECT_EQ(print({"continue", "--print"}).out, print({"open", "latest", "--print"}).out);
  EXPECT_EQ(print({"handoff", "--to", "claude"}).out, print({"handoff", "latest", "--to", "claude-code"}).out);
  EXPECT_EQ(print({"copy", "latest"}).out, print({"handoff", "latest", "--to", "codex"}).out);
  EXPECT_THAT(print({"handoff", "--start"}).err, HasSubstr("--to says which agent"));
  EXPECT_EQ(print({"memory", "search", "runs"}).out, print({"search", "runs"}).out);
  EXPECT_THAT(print({"file-history", "--commit", "0123abcd"}).out, Not(HasSubstr("commit_time")));
  EXPECT_EQ(print({"diff", "a.cpp"}).out, print({"file-history", "a.cpp"}).out);
  EXPECT_EQ(print({"diff"}).out, print({"show", "latest", "--tools"}).out);
  EXPECT_EQ(print({"diff", "x1"}).out, print({"show", "x1", "--tools"}).out);
  EXPECT_EQ(print({"branches"}).out, print({"usage", "--by", "branch"}).out);
  EXPECT_EQ(print({"usage", "by", "agent"}).out, print({"usage", "--by", "agent"}).out);
  EXPECT_EQ(print({"files"}).out, print({"file-history", "*"}).out);
  EXPECT_EQ(print({"files", "this", "week"}).out, print({"file-history", "*", "--since", "this week"}).out);
  EXPECT_EQ(print({"files", "a.cpp"}).out, print({"who", "a.cpp"}).out);
  EXPECT_EQ(print({"remove", "x1"}).out, print({"forget", "x1"}).out);
  EXPECT_EQ(print({"usage", "week"}).out, print({"usage", "--since", "7d"}).out);
  EXPECT_EQ(print({"usage", "this", "week"}).out, print({"usage", "--since", "this week"}).out);
  EXPECT_EQ(print({"sessions", "running"}).out, print({"sessions", "--state", "running"}).out);
  EXPECT_EQ(print({"list", "today"}).out, print({"sessions", "--since", "today"}).out);
  EXPECT_EQ(print({"who", "a.cpp"}).out, print({"file-history", "a.cpp"}).out);
  EXPECT_EQ(print({"recap", "yesterday"}).err, print({"memory", "recap", "yesterday"}).err);
  EXPECT_EQ(print({"watch"}).err, print({"browse"}).err);
  EXPECT_EQ(print({"blame", "a.cpp"}).out, print({"file-history", "a.cpp"}).out);
  EXPECT_EQ(print({"decisions"}).out, print({"observations", "--kind", "decision"}).out);
  EXPECT_EQ(print({"history", "a.cpp"}).out, print({"file-history", "a.cpp"}).out);
  EXPECT_EQ(print({"history"}).out, print({"sessions"}).out);
  EXPECT_EQ(print({"read", "latest"}).out, print({"last"}).out);
  EXPECT_EQ(print({"export", "latest", "--format", "markdown"}).out, print({"export", "latest", "--format", "md"}).out);
  EXPECT_EQ(print({"sessions", "--outcome", "failed"}).out, print({"sessions", "--state", "failed"}).out);
  EXPECT_THAT(print({"commits"}).out, HasSubstr("No command with these words"));
  EXPECT_THAT(print({"errors"}).out, HasSubstr("No failed command"));
  EXPECT_EQ(print({"follow"}).err, print({"browse"}).err);
  for (const char* typed : {"memory", "memories"})
    EXPECT_EQ(print({typed}).out, print({"memory", "list"}).out);
  EXPECT_THAT(print({"project", "/src/p"}).out, HasSubstr("1 session, 1 turn"));
  EXPECT_THAT(print({"project", "/src/p"}).out, ContainsRegex("  claude_code:[^ ]+  What runs now"));
  EXPECT_THAT(print({"projects"}).out, HasSubstr("/src/p"));
  EXPECT_EQ(print({"version"}).out, print({"--version"}).out);
  EXPECT_EQ(print({"-v"}).out, print({"--version"}).out);
  EXPECT_THAT(print({"memory", "recap", "yesterday"}).err, HasSubstr("knows of nothing"));
  for (const char* agent : {"claude-code", "claude_code", "Claude Code", "claude"})
    EXPECT_THAT(print({"sessions", "--agent", agent}).out, HasSubstr("What runs now?")) << agent;
  EXPECT_THAT(print({"sessions", "--platform", "codex"}).out, HasSubstr("No sessions"));
  EXPECT_THAT(print({"sessions", "--agent", "nobody"}).err, HasSubstr("--agent: \"nobody\""));
  EXPECT_THAT(print({"sessions", "--state", "running"}).out, HasSubstr("What runs now?"));
  for (const char* state : {"done", "abandoned", "paused"})
    EXPECT_THAT(print({"sessions", "--state", state}).out, HasSubstr("No sessions")) << state;
}

TEST_F(CliCommands, ForgetTellsOfTurnsAndTexts) {
  const TimeMs now = system_clock().now();
  home_.turn("/src/p", 1, now - 2000, "word", "What runs now?", "This does.");
  home_.turn("/src/p", 2, now - 1000, "word", "And the marmalade?", "That, too.");
  ASSERT_EQ(print({"ingest", "--once"}).code, 0);
  const Printed turn = print({"forget", "x1"});
  EXPECT_THAT(turn.out, testing::AllOf(HasSubstr("x1  "), HasSubstr("What runs now?"),
                                       HasSubstr("Would be forgotten: 1 turn. Nothing was done: add --yes.")));
  EXPECT_THAT(print({"forget", "x1", "--yes"}).out, HasSubstr("Forgotten: 1 turn."));
  EXPECT_THAT(print({"rm", "nosuch", "--query", "nowhere"}).out, Not(HasSubstr("Forgotten")));
  EXPECT_THAT(print({"forget", "--query", "nowhere"}).out, HasSubstr("Nothing in the store matches that."));
}

TEST_F(CliCommands, ATitleSaysWhatIsDone) {
  constexpr TimeMs kStart = 1'770'000'000'000;
  home_.turn("/src/p", 1, kStart, "w", "Implement the following plan:\n\n# Plan: Keep the queue in a file\n\nMore.",
             "Ok.");
  home_.turn("/src/p", 2, kStart + 1000, "w", "# Referenced ChatGPT conversation: https://x\n\nSort the rows by name",
             "Ok.");
  home_.turn("/src/p", 3, kStart + 2000, "w", "## User Input\n\nReview the second milestone", "Ok.");
  ASSERT_EQ(print({"ingest", "--once"}).code, 0);
  std::vector<std::string> titles;
  const auto answer = json_of({"sessions"});
  for (const auto& s : answer.at("sessions").as_array())
    titles.emplace_back(s.at("session_name").as_string());
  EXPECT_THAT(titles,
              testing::ElementsAre("Review the second milestone", "Sort the rows by name", "Keep the queue in a file"));
}

TEST_F(CliCommands, WhatUninstallWouldDoIsSaidAndNotDone) {
  auto attempt = InstanceLock::attempt(data_.path());
  ASSERT_TRUE(attempt && attempt->lock);
  ASSERT_TRUE(attempt->lock->publish(data_ / "memd.sock"));  // as a daemon does
  const Printed said = print({"uninstall", "--dry-run", "--data"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("The daemon would end."));
  EXPECT_THAT(said.out, HasSubstr("would be removed"));
  EXPECT_TRUE(fs::exists(data_ / "memd.pid"));
  EXPECT_TRUE(json_of({"uninstall", "--dry-run"}).at("daemon_stopped").as_bool());
  attempt->lock.reset();
  EXPECT_FALSE(json_of({"uninstall", "--dry-run"}).at("daemon_stopped").as_bool()) << "it has ended";
}

// A repository may bring such a link.
TEST_F(CliCommands, NothingIsTidiedWhereALinkOfAProjectLeads) {
  const test::TempDir project;
  const test::TempDir elsewhere;
  fs::create_directories(project / ".git");
  fs::create_directory_symlink(elsewhere.path(), project / ".cursor");
  const fs::path of_dead = elsewhere / (".memd-new-" + std::to_string(test::dead_process()) + "-1");
  test::write_file(of_dead, "a file of somebody else");
  const fs::path before = fs::current_path();
  fs::current_path(project.path());
  const Printed said = print({"setup", "cursor", "--project"});
  fs::current_path(before);
  EXPECT_NE(said.code, 0) << said.out;
  EXPECT_THAT(said.out + said.err, HasSubstr("a link that leads out of"));
  EXPECT_TRUE(fs::exists(of_dead));
}

}  // namespace
}  // namespace memd::cli

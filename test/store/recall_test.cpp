#include "store/read/recall.hpp"
#include "store/read/command_history.hpp"
#include "store/read/sessions.hpp"
#include "store/read/standing_lines.hpp"
#include "store/reader.hpp"
#include "test/support/scripted_store.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using test::EventScript;

EventScript earlier_session() {
  EventScript s("claude_code:old");
  s.user("The importer drops the last row.");
  s.call("c1", "Bash", "go test ./src/...").result("c1", "Error: row 12 was lost in TestImport", true);
  s.call("c2", "Edit", "/w/p/src/importer.go", "/w/p/src/importer.go").result("c2", "done", false, 3, 1);
  s.call("c3", "Bash", "go test ./src/...").result("c3", "ok src 0.2s");
  s.call("c4", "Bash", "npm run deploy").result("c4", "Error: no rule to make target deploy", true);
  s.call("c5", "Bash", "npm run deploy --force").result("c5", "installed");
  s.answer("Done.");
  return s;
}

class RecallTest : public testing::Test {
 protected:
  void SetUp() override { test::take_in(file_, earlier_session(), Platform::claude_code, "/h/old.jsonl"); }
  template <class Query>
  std::vector<Recalled> ask(Query query) {
    Reader reader(file_);
    auto found = reader.ask(query);
    EXPECT_TRUE(found) << found.error().message();
    return found ? *found : std::vector<Recalled>();
  }

  test::TempDir dir_;
  std::filesystem::path file_ = dir_ / "memd.db";
  RecallScope scope_{"/w/p", "new"};
};

TEST_F(RecallTest, WhatEndedAFailureIsTold) {
  Reader reader(file_);
  const auto failed = reader.ask(CommandHistoryQuery{{}, {"Row", "LOST"}, true});
  ASSERT_TRUE(failed) << failed.error().message();
  ASSERT_EQ(failed->commands.size(), 1u);
  const PastCommand& run = failed->commands.front();
  EXPECT_EQ(run.line, "go test ./src/...");
  EXPECT_EQ(run.result, "Error: row 12 was lost in TestImport");
  EXPECT_EQ(run.times, 1);
  const auto end = reader.ask(FailureEndQuery{run.session_pk, run.seq});
  ASSERT_TRUE(end && *end);
  EXPECT_EQ((*end)->text, "edits of importer.go");
  EXPECT_EQ((*end)->edits.size(), 1u);
  EXPECT_EQ((*end)->command, "");
  const auto deploy = reader.ask(CommandHistoryQuery{{}, {"deploy"}, true});
  ASSERT_EQ(deploy->commands.size(), 1u);
  const auto form = reader.ask(FailureEndQuery{deploy->commands[0].session_pk, deploy->commands[0].seq});
  ASSERT_TRUE(form && *form);
  EXPECT_EQ((*form)->command, "npm run deploy --force");
  const auto all = reader.ask(CommandHistoryQuery{{}, {"go test"}});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->commands.size(), 1u);
  EXPECT_EQ(all->commands[0].times, 2);
  EXPECT_EQ(all->commands[0].failures, 1);
  EXPECT_FALSE(all->commands[0].failed) << "its last run passed";
  EXPECT_EQ(reader.ask(CommandHistoryQuery{{}, {}, false, 1})->total, 3);
}

TEST_F(RecallTest, CommandsThatBeginWithTheWordsComeBeforeThoseThatMentionThem) {
  EventScript later("claude_code:later");
  later.user("Look into it.");
  later.call("d1", "Bash", "cd src && go test -run X").result("d1", "ok");
  later.call("d2", "Bash", "cat ./go/testdata/x").result("d2", "x");
  later.answer("Done.");
  test::take_in(file_, later, Platform::claude_code, "/h/later.jsonl");
  Reader reader(file_);
  const auto found = reader.ask(CommandHistoryQuery{{}, {"go", "test"}});
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->commands.size(), 3u);
  EXPECT_EQ(found->commands[2].line, "cat ./go/testdata/x");
}

TEST(ErrorLines, AnErrorBeginsWhereItIsTold) {
  EXPECT_EQ(error_begin("Exit code 1\n\nmake: x\nError: row 12 was lost\nmore"), 21u);
  EXPECT_EQ(error_begin("\nError: row 12 was lost"), 1u);
  EXPECT_EQ(error_begin("Exit code 1\nno luck"), std::string_view::npos);
  EXPECT_EQ(error_signature("Exit code 1\nError: row 12 was  lost\nmore"), "error: row was lost");
}

TEST_F(RecallTest, AnErrorThatWentAwayIsToldWithWhatWasDone) {
  const auto found = ask(ErrorRecallQuery{scope_, "Exit code 1\nError: row 77 was lost in TestImport"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, RecalledKind::met_error);
  EXPECT_EQ(found[1].kind, RecalledKind::solved);
  EXPECT_NE(found[1].text.find("importer.go"), std::string::npos);
  EXPECT_TRUE(ask(ErrorRecallQuery{scope_, "Error: something else altogether"}).empty());
  EXPECT_TRUE(ask(ErrorRecallQuery{scope_, "Exit code 1"}).empty());
}

TEST_F(RecallTest, AnErrorThatAnotherFormOfTheCommandEndedIsToldWithIt) {
  const auto found = ask(ErrorRecallQuery{scope_, "Error: no rule to make target deploy"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].text, "`npm run deploy --force`");
}

TEST_F(RecallTest, NothingIsToldOfTheSessionThatAsksNorOfOtherProjects) {
  scope_.session_id = "old";
  EXPECT_TRUE(ask(ErrorRecallQuery{scope_, "Error: row 77 was lost in TestImport"}).empty());
  scope_ = {"/elsewhere", "new"};
  EXPECT_TRUE(ask(ErrorRecallQuery{scope_, "Error: row 77 was lost in TestImport"}).empty());
}

TEST_F(RecallTest, ALineThatSuccessfulOutputsContainTellsNothing) {
  EventScript s("claude_code:other");
  s.user("Deploy again.");
  s.call("c1", "Bash", "make deploy").result("c1", "Error: no rule to make target deploy, ignored");
  s.answer("Done.");
  test::take_in(file_, s, Platform::claude_code, "/h/other.jsonl");
  EXPECT_TRUE(ask(ErrorRecallQuery{scope_, "Error: no rule to make target deploy"}).empty());
}

TEST_F(RecallTest, WhatASessionDidAndWasRefused) {
  EventScript s("claude_code:deeds");
  s.user("Commit it.");
  s.call("c1", "Bash", "git commit -m 'Keep rows'").result("c1", "[main 1a2b3c4d] Keep rows");
  s.call("c2", "Bash", "git commit -m x").result("c2", "On branch main: nothing [to] commit", true);
  s.call("c3", "Bash", "gh api repos/o/r/pulls/7/comments/2776508025/replies -f body=\"Fixed in 1a2b3c4d\"")
      .result("c3", "{}");
  s.call("c4", "Bash", "npm run build app").result("c4", "error: no such workspace", true);
  s.call("c5", "Bash", "npm run build -w app").result("c5", "built");
  s.answer("Done.");
  test::take_in(file_, s, Platform::claude_code, "/h/deeds.jsonl");
  Reader reader(file_);
  const auto session = reader.ask(SessionQuery{"deeds"});
  ASSERT_TRUE(session);
  const auto found = reader.ask(SessionDeedsQuery{session->pk});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->commits.size(), 1u);
  EXPECT_TRUE(found->commits[0].starts_with("1a2b3c4d Keep rows [x")) << found->commits[0];
  ASSERT_EQ(found->replies.size(), 1u);
  EXPECT_TRUE(found->replies[0].starts_with("2776508025: Fixed in 1a2b3c4d [x")) << found->replies[0];
  ASSERT_EQ(found->forms.size(), 1u);
  EXPECT_TRUE(found->forms[0].starts_with("`npm run build -w app` [x")) << found->forms[0];
}

TEST_F(RecallTest, WhatAPersonSaysInSeveralSessionsStands) {
  const auto say = [&](int n, const char* text) {
    EventScript s("claude_code:said-" + std::to_string(n));
    s.user(text).answer("Done.");
    test::take_in(file_, s, Platform::claude_code, "/h/said-" + std::to_string(n) + ".jsonl");
  };
  say(1, "Never push directly to the release branch.");
  say(2, "Please never push directly to the release branch!");
  say(3, "Always open draft pull requests for reviews.");
  say(4, "Always run the lint tests before the commit.");
  say(5, "Always run the lint tests before the commit.");
  Reader reader(file_);
  const auto found = reader.ask(StandingLinesQuery{"/w/p"});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u) << "once is no rule, and twice is none of tests";
  EXPECT_EQ(found->front().sessions, 2);
  EXPECT_NE(found->front().text.find("release branch"), std::string::npos);
  say(6, "Push directly to the release branch now, please.");
  EXPECT_TRUE(reader.ask(StandingLinesQuery{"/w/p"})->empty()) << "taken back";
}

TEST(ErrorSignature, IsTheFirstLineThatTellsOfAnErrorWithoutNumbers) {
  EXPECT_EQ(error_signature("ok\nError: row 12 was lost\n"), error_signature("Error: row 7 was lost"));
  EXPECT_NE(error_signature("Error: row 12 was lost"), "");
  EXPECT_EQ(error_signature("Exit code 1"), "");
  EXPECT_EQ(error_signature("all is well with the world today"), "");
}

}  // namespace
}  // namespace memd

#include "store/read/recall.hpp"
#include "store/read/command_history.hpp"
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
  const auto all = reader.ask(CommandHistoryQuery{{}, {"go test"}});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->commands.size(), 1u);
  EXPECT_EQ(all->commands[0].times, 2);
  EXPECT_EQ(all->commands[0].failures, 1);
  EXPECT_FALSE(all->commands[0].failed) << "its last run passed";
  EXPECT_EQ(reader.ask(CommandHistoryQuery{{}, {}, false, 1})->total, 3);
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

TEST_F(RecallTest, AFileIsToldWithTheTestsThatPassedAfterItsEdits) {
  const auto found = ask(FileRecallQuery{scope_, "/w/p/src/importer.go"});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back().kind, RecalledKind::test_command);
  EXPECT_EQ(found.back().text, "go test ./src/...");
  EXPECT_TRUE(ask(FileRecallQuery{scope_, "/w/p/src/other.go"}).empty());
}

TEST_F(RecallTest, NothingIsToldOfTheSessionThatAsksNorOfOtherProjects) {
  scope_.session_id = "old";
  EXPECT_TRUE(ask(FileRecallQuery{scope_, "/w/p/src/importer.go"}).empty());
  scope_ = {"/elsewhere", "new"};
  EXPECT_TRUE(ask(FileRecallQuery{scope_, "/w/p/src/importer.go"}).empty());
}

TEST(ErrorSignature, IsTheFirstLineThatTellsOfAnErrorWithoutNumbers) {
  EXPECT_EQ(error_signature("ok\nError: row 12 was lost\n"), error_signature("Error: row 7 was lost"));
  EXPECT_NE(error_signature("Error: row 12 was lost"), "");
  EXPECT_EQ(error_signature("Exit code 1"), "");
  EXPECT_EQ(error_signature("all is well with the world today"), "");
}

}  // namespace
}  // namespace memd

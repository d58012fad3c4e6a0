#include "store/write/git_rows.hpp"
#include "test/support/event_script.hpp"
#include "test/support/writer_fixture.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using assembly::commits_in;
using test::EventScript;

TEST(CommitOutput, WhatGitSaysOfACommit) {
  const auto made = commits_in("[feature/search 1a2b3c4] Add an index\n 2 files changed, 10 insertions(+)\n", false);
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].sha, "1a2b3c4");
  EXPECT_EQ(made[0].branch, "feature/search");
  EXPECT_EQ(made[0].subject, "Add an index");
}

TEST(CommitOutput, FirstCommitDetachedHeadAndSeveralAtOnce) {
  const auto root = commits_in("[main (root-commit) 42108d3] Begin\r\n 1 file changed, 1 insertion(+)\r\n", false);
  ASSERT_EQ(root.size(), 1U);
  EXPECT_EQ(root[0].branch, "main");
  const auto several = commits_in(
      "[detached HEAD ce21745] fix: linting\n Date: Mon Feb 9 18:20:49 2026\n 11 files changed, 4 insertions(+)\n"
      "Auto-merging a.ts\n[detached HEAD 2996bb8] fix: routes\n Author: A <a@b.c>\n",
      false);
  ASSERT_EQ(several.size(), 2U);
  EXPECT_EQ(several[0].branch, "");
  EXPECT_EQ(several[1].sha, "2996bb8");
  const auto once = commits_in("[main 1a2b3c4] Add\n 1 file changed\n[main 1a2b3c4] Add\n 1 file changed\n", false);
  EXPECT_EQ(once.size(), 1U) << "a script that prints it again";
}

TEST(CommitOutput, BehindWhatHooksSay) {
  EXPECT_EQ(commits_in("lint: ok\ntests: ok\n[main 1a2b3c4] Add\n 1 file changed, 1 insertion(+)\n", false).size(), 1U);
}

TEST(CommitOutput, CutOutputCountsWhereTheCommandSpeaksOfGit) {
  EXPECT_EQ(commits_in("[main 1a2b3c4] Add an index", true).size(), 1U);
  EXPECT_EQ(commits_in("[main 1a2b3c4] Add an index", false).size(), 0U);
  EXPECT_EQ(commits_in("first\n[main 1a2b3c4] Add an index", true).size(), 0U);
}

TEST(CommitOutput, WhatOnlyLooksLikeOne) {
  for (const std::string_view text :
       {"[INFO 2026] start\n 1 file changed", "[1a2b3c4] x\n 1 file changed", "[main 1a2b3c] short\n 1 file changed",
        "[main 1a2b3cg] no number\n 1 file changed", "[main 1a2b3c4]\n 1 file changed", "main 1a2b3c4] x", "[",
        "[\"main\" 1a2b3c4] quoted\n 1 file changed", " [main 1a2b3c4] indented\n 1 file changed"})
    EXPECT_TRUE(commits_in(text, true).empty()) << text;
}

class CommitsTest : public test::WriterFixture {
 protected:
  std::vector<std::string> commits() const {
    return rows(
        "SELECT exchange_number || ' ' || event_seq || ' ' || sha || ' ' || branch || ': ' || subject FROM commits"
        " ORDER BY event_seq");
  }
};

EventScript session_with_commits() {
  EventScript s;
  s.user("add it").call("c1", "Bash", "git add -A && git commit -m Add");
  s.result("c1", "[main 1a2b3c4] Add\n 1 file changed, 1 insertion(+)");
  s.user("and push").call("c2", "Bash", "git commit -qam x; git push");
  s.result("c2", "[main 9f8e7d6] Push\nTo github.com:a/b.git\n ! [rejected]", true);
  s.call("c3", "Read", "/w/p/notes.md", "/w/p/notes.md");
  s.result("c3", "[main 5555555] told in a file\n 1 file changed");
  return s;
}

TEST_F(CommitsTest, StandInTheExchangeThatMadeThem) {
  apply(session_with_commits().batch());
  EXPECT_EQ(commits(), (std::vector<std::string>{"0 2 1a2b3c4 main: Add", "1 5 9f8e7d6 main: Push"}));
}

TEST_F(CommitsTest, TheSameLineByLineAcrossRestarts) { expect_same_event_by_event(session_with_commits()); }

}  // namespace
}  // namespace memd

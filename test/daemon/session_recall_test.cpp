#include "daemon/admin/session_recall.hpp"

#include "store/reader.hpp"
#include "store/text/token_budget.hpp"
#include "test/support/scripted_store.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace memd::test {
namespace {

using admin::SessionPlace;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr TimeMs kSoon = 1'770'000'000'000 + 3'600'000;

class SessionRecall : public testing::Test {
 protected:
  EventScript session(const std::string& id, const std::string& branch, const std::string& cwd = "/w/p") {
    EventScript out("claude_code:" + id);
    out.in(cwd, branch);
    return out;
  }
  void take(const EventScript& script, const std::string& id) {
    take_in(file_, script, Platform::claude_code, "/h/" + id + ".jsonl");
  }
  void say(const std::string& id, const std::string& text) {
    EventScript s = session(id, "main");
    s.user(text).answer("Done.");
    take(s, id);
  }
  std::vector<std::string> at_start(const SessionPlace& place, TimeMs now = kSoon) {
    Reader reader(file_);
    return admin::lines_at_start(reader, place, now).value();
  }
  std::vector<std::string> at_prompt(std::string_view prompt, const SessionPlace& place = {"/w/p", "new", "main"},
                                     TimeMs now = kSoon) {
    Reader reader(file_);
    return admin::line_at_prompt(reader, place, prompt, now).value();
  }

  TempDir dir_;
  std::filesystem::path file_ = dir_ / "memd.db";
};

std::size_t tokens_of(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::size_t{0},
                         [](std::size_t sum, const std::string& line) { return sum + estimate_tokens(line + "\n"); });
}

TEST_F(SessionRecall, TheBranchIsToldAndNotTheNewestSessionOfTheDirectory) {
  EventScript asked = session("asked", "ada/rows");
  asked.user("Keep the last row of each import.").answer("The importer keeps it; the exporter still drops rows.");
  take(asked, "asked");
  EventScript newest = session("newest", "ada/colours");
  newest.user("Make the buttons green, please.").answer("They are green.");
  newest.user("Also the links.").answer("The links are green.");
  take(newest, "newest");
  const SessionPlace place{"/w/p", "new", "ada/rows"};
  const auto lines = at_start(place);
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], StartsWith("Branch ada/rows, last worked on "));
  EXPECT_THAT(lines, Contains(HasSubstr("still drops rows")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("green"))));
  EXPECT_THAT(at_start(place, kSoon + 8 * kMsPerDay), IsEmpty());
  EXPECT_THAT(at_start({"/w/p", "asked", "ada/rows"}), IsEmpty()) << "its own words";
}

TEST_F(SessionRecall, WithoutARecordedBranchTheDirectoryDecides) {
  EventScript unknown = session("unknown", "");
  unknown.user("Keep the last row of each import.").answer("The importer keeps it; the exporter still drops rows.");
  take(unknown, "unknown");
  const auto lines = at_start({"/w/p", "new", "ada/rows"});
  EXPECT_THAT(lines, Contains(StartsWith("This directory, last worked on ")));
  EXPECT_THAT(lines, Contains(HasSubstr("still drops rows")));
  EXPECT_THAT(at_start({"/w/p/other", "new", "ada/rows"}), IsEmpty());
}

TEST_F(SessionRecall, OnTheTrunkWorkIsToldForADay) {
  say("trunk", "Keep the last row of each import.");
  EXPECT_THAT(at_start({"/w/p", "new", "main"}), Contains(StartsWith("Branch main, ")));
  EXPECT_THAT(at_start({"/w/p", "new", "main"}, kSoon + 2 * kMsPerDay), IsEmpty());
}

TEST_F(SessionRecall, AStartIsBriefHoweverMuchThereIs) {
  EventScript long_one = session("long", "ada/rows");
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    long_one.user("Never touch the table of rows number " + n + " because the exporter of branch " + n + " reads it.");
    long_one.call("c" + n, "Bash", "go test ./rows" + n).result("c" + n, "--- FAIL: TestRows" + n + "\nFAIL", true);
    long_one.answer("We decided to keep exporter " + n + ", because importer " + n + " reads it. Next: mend rows " + n);
  }
  take(long_one, "long");
  const auto lines = at_start({"/w/p", "new", "ada/rows"});
  EXPECT_GT(lines.size(), 3u);
  EXPECT_LE(tokens_of(lines), admin::kStartTokens + admin::kStandingTokens);
}

TEST_F(SessionRecall, APlanThatIsHandedOverIsNotTold) {
  EventScript planned = session("planned", "ada/rows");
  planned.user("Plan how to keep the last row.");
  planned.call("c1", "ExitPlanMode", "1. Keep the row.").result("c1", "User has approved your plan.");
  planned.answer("Approved.");
  take(planned, "planned");
  EXPECT_THAT(at_start({"/w/p", "new", "ada/rows"}), IsEmpty());
}

TEST_F(SessionRecall, SiblingWorktreesHaveALineForADay) {
  EventScript sibling = session("sibling", "ada/colours", "/w/p/.worktrees/2");
  sibling.user("Make the buttons green, please.").answer("They are green.");
  take(sibling, "sibling");
  const SessionPlace place{"/w/p", "new", "ada/rows"};
  EXPECT_THAT(at_start(place), IsEmpty()) << "nothing of this branch";
  EventScript ours = session("ours", "ada/rows");
  ours.user("Count the rows of each import.").answer("They are counted.");
  take(ours, "ours");
  EXPECT_THAT(at_start(place), Contains(StartsWith("Meanwhile in /w/p/.worktrees/2, branch ada/colours, ")));
  EXPECT_THAT(at_start(place, kSoon + 2 * kMsPerDay), Not(Contains(HasSubstr("Meanwhile"))));
}

TEST_F(SessionRecall, StandingLinesTellHowOftenAndWhen) {
  for (int i = 0; i < 5; ++i)
    for (const char* rule : {"Always open pull requests as drafts, please.", "Never push to the release branch.",
                             "Do not use emoji in commit messages.", "Always write changelog entries in English."})
      say(std::to_string(i) + std::string(rule, 9), rule + (" " + std::to_string(i)));
  Reader reader(file_);
  const auto lines = admin::standing_lines(reader, {"/w/p", "new", "main"}, kSoon).value();
  EXPECT_THAT(lines, testing::SizeIs(testing::AllOf(testing::Ge(2u), testing::Le(3u))));
  EXPECT_LE(tokens_of(lines), admin::kStandingTokens);
  for (const std::string& line : lines)
    EXPECT_THAT(line, StartsWith("Said in 5 sessions, last 2026-02-02: \""));
  EXPECT_THAT(admin::standing_lines(reader, {"/w/p", "new", "main"}, kSoon + 31 * kMsPerDay).value(), IsEmpty());
}

TEST_F(SessionRecall, ACompactionKeepsDeedsAndHowTestsEnded) {
  EventScript s = session("s", "ada/rows");
  s.user("Keep the last row of each import.").answer("I will.");
  s.user("Never push before the tests pass.");
  s.call("c1", "Bash", "git commit -m 'Keep rows'").result("c1", "[ada/rows 1a2b3c4d] Keep rows");
  s.call("c2", "Bash", "go test ./rows").result("c2", "--- FAIL: TestRows\nFAIL", true);
  s.answer("TestRows still fails.");
  s.lifecycle("compaction", "auto");
  take(s, "s");
  Reader reader(file_);
  const auto lines = admin::lines_after_compaction(reader, {"/w/p", "s", "ada/rows"}).value();
  EXPECT_THAT(lines, Contains(StartsWith("Committed: 1a2b3c4d Keep rows [x")));
  EXPECT_THAT(lines, Contains(HasSubstr("go test ./rows")));
  EXPECT_THAT(lines, Contains(HasSubstr("Never push before the tests pass")));
  EXPECT_LE(tokens_of(lines), admin::kCompactionTokens);
}

TEST_F(SessionRecall, APromptIsAnsweredForThreeReasonsOnly) {
  EventScript old = session("old", "ada/rows");
  old.user("Why does the frobnicator importer drop its trailing sentinel row?");
  old.answer("The frobnicator importer drops the trailing sentinel row because readBlock stops one short.");
  take(old, "old");
  say("ours", "Please begin with something else here.");
  const std::string_view question = "The frobnicator importer drops its trailing sentinel row once more";
  const std::string back = "As we discussed last time: " + std::string(question);
  const SessionPlace first{"/w/p", "new", "main"};
  const SessionPlace later{"/w/p", "ours", "main"};
  const TimeMs long_after = kSoon + 20 * kMsPerDay;
  EXPECT_THAT(at_prompt(question, first), Contains(HasSubstr("frobnicator"))) << "a first prompt, and fresh";
  EXPECT_THAT(at_prompt(question, first, long_after), IsEmpty());
  EXPECT_THAT(at_prompt(question, {"/w/p", "new", "ada/rows"}, long_after), Contains(HasSubstr("frobnicator")))
      << "a first prompt on its branch";
  EXPECT_THAT(at_prompt(question, later), IsEmpty()) << "no first prompt";
  EXPECT_THAT(at_prompt(back, later, long_after), Contains(HasSubstr("frobnicator"))) << "it refers back";
  EXPECT_THAT(at_prompt(back, {"/w/p", "old", "ada/rows"}), IsEmpty()) << "this very session said it";
  EXPECT_THAT(at_prompt("frobnicator as before", later), IsEmpty()) << "too short";
}

TEST_F(SessionRecall, APromptMeetsWhatThePersonChoseWhenAsked) {
  say("said", "Let's not build a sqlite fallback for the frobnicator cache, we decided against it.");
  EventScript ruled = session("ruled", "main");
  ruled.user("Look at the importer.").choice("Shall the frobnicator cache have a fallback?: no, never");
  take(ruled, "ruled");
  for (int i = 0; i < 5; ++i)
    say("filler" + std::to_string(i), "Look at the colours of button number " + std::to_string(i) + " again.");
  const SessionPlace later{"/w/p", "filler1", "main"};
  EXPECT_THAT(at_prompt("Please add a fallback to the frobnicator cache when the disk is full", later),
              ElementsAre(AllOf(StartsWith("Decided 2026-02-02"), HasSubstr("no, never"))));
  EXPECT_THAT(at_prompt("Please look at the colours of the buttons on the page", later), IsEmpty());
}

}  // namespace
}  // namespace memd::test

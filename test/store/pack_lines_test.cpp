// Checks that a pack is correct: its constraints are valid, its problems are open, its steps lie ahead, its tests have
// their last result, and nothing is repeated.
#include "schemas/event.hpp"
#include "store/insight/continuity/pack.hpp"
#include "store/insight/continuity/working_state.hpp"
#include "store/read/session_past.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "store/text/path_names.hpp"
#include "test/support/scripted_store.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace memd::continuity {
namespace {

using test::EventScript;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

WorkingState state_after(const EventScript& script) {
  const test::TempDir dir;
  test::take_in(dir / "memd.db", script);
  Reader reader(dir / "memd.db");
  const auto session = reader.ask(SessionQuery{"latest"});
  EXPECT_TRUE(session);
  const auto past = reader.ask(SessionPastQuery{session->pk, {BoundaryChoice::At::end, 0}});
  EXPECT_TRUE(past);
  return recover_state(*past);
}

std::vector<std::string> texts_in(const std::vector<ExtractedSentence>& list) {
  std::vector<std::string> out;
  for (const ExtractedSentence& t : list)
    out.push_back(t.text);
  return out;
}

std::vector<std::string> lines_in(const std::vector<CommandUse>& commands) {
  std::vector<std::string> out;
  for (const CommandUse& use : commands)
    out.push_back(use.line);
  return out;
}

std::vector<std::string> constraints_of(std::string prompt) {
  EventScript s;
  s.user("Write the exporter for the monthly figures.").answer("Begun.").user(std::move(prompt)).answer("Right.");
  s.user("Now write the page that shows the figures.").answer("Begun.");
  return texts_in(state_after(s).constraints);
}

std::vector<std::string> problems_of(const std::vector<std::string>& answers) {
  EventScript s;
  s.user("Write the exporter for the monthly figures.");
  s.call("c1", "Bash", "go test ./rows").result("c1", "FAIL: TestRows", true);
  for (const std::string& answer : answers)
    s.answer(answer);
  s.call("c9", "Bash", "ls").result("c9", "x").answer("Looking at the next file.");
  return texts_in(state_after(s).problems);
}

TEST(PackLines, AConstraintForbidsOrDemands) {
  for (const char* binding : {"Never write to the shared folder.", "All paths must be absolute.",
                              "Use tabs in the generated files.", "Go on, but keep the old header for now.",
                              "I want the totals in the first row.", "The rows should be sorted by date.",
                              "Never drop rows, the importer counts them.", "No new dependencies in the exporter."})
    EXPECT_THAT(constraints_of(binding), ElementsAre(binding));
}

TEST(PackLines, WhatIsAskedToldOrPastedBindsNobody) {
  for (const char* loose :
       {"Should we use tabs in the generated files?", "What should we name the inverse flag?",
        "I don't think there is a hook for this.", "We got a report that it popped up without any use.",
        "It works now, though nobody knows why yet.", "src/rows.ts 4:10 error 'Total' is defined but never used",
        "+ // Fall back to the old header, should not happen", "I'd like to do two things:",
        "Could you make sure the totals never overflow?", "Do not revert those unless I say so."})
    EXPECT_THAT(constraints_of(loose), IsEmpty()) << loose;
}

TEST(PackLines, ALongLaterPromptIsAPaste) {
  const std::string paste = std::string(1600, 'x') + ".\n\nNever log tokens.";
  EventScript first;
  first.user(paste).answer("Read.").user("Now the page.").answer("Begun.");
  EXPECT_THAT(texts_in(state_after(first).constraints), ElementsAre("Never log tokens.")) << "it hands work over";
  EventScript later;
  later.user("Write the exporter.").answer("Written.").user(paste).answer("Read.").user("Now the page.").answer("Yes.");
  EXPECT_THAT(texts_in(state_after(later).constraints), IsEmpty());
}

TEST(PackLines, AConstraintStandsOnce) {
  EventScript s;
  s.user("Please keep the old header, it is read by the importer.").answer("Yes.");
  s.user("Never touch the parser.").answer("Yes.").user("Never touch the parser. Really.").answer("No.");
  s.user("Always sort by date in the export, and always in the report too.").answer("Yes.");
  s.user("Always sort by date in the export.")
      .answer("Yes.")
      .user("Now draw the page of the report for May.")
      .answer("Yes.");
  const WorkingState state = state_after(s);
  std::vector<std::string> told = texts_in(state.constraints);
  for (const ExtractedSentence& goal : state.goal)
    told.push_back(goal.text);
  EXPECT_THAT(told, testing::UnorderedElementsAre("Never touch the parser.", "Always sort by date in the export.",
                                                  testing::StartsWith("Please keep the old header"),
                                                  "Now draw the page of the report for May."));
}

TEST(PackLines, AProblemIsOpenUntilItIsSaidToBeMended) {
  EXPECT_THAT(problems_of({"Two tests of the exporter still fail on empty input."}),
              ElementsAre("Two tests of the exporter still fail on empty input."));
  EXPECT_THAT(problems_of({"Two tests of the exporter still fail on empty input.", "All tests pass."}), IsEmpty());
  EXPECT_THAT(problems_of({"All tests pass. But the report is missing its last column."}),
              ElementsAre("But the report is missing its last column."));
  EXPECT_THAT(problems_of({"1. **The totals are wrong for leap years**"}),
              ElementsAre("The totals are wrong for leap years"));
}

TEST(PackLines, WorkAndGuessesAreNoProblems) {
  for (const char* done :
       {"Added a test documenting the bug and verifying the fix.", "Now let me fix the failing test.",
        "**The problem with the totals is exactly what I suspected earlier:**",
        "If it still fails, paste the output here.",
        "This is broken because of three things:", "The header is not broken, only its date is from before."})
    EXPECT_THAT(problems_of({done}), IsEmpty()) << done;
}

TEST(PackLines, TheMessageThatEndsTheWorkClosesItsProblems) {
  EventScript s;
  s.user("Write the exporter.").call("c0", "Bash", "go test ./rows").result("c0", "FAIL: TestRows", true);
  s.answer("The totals are wrong for leap years.");
  s.call("c1", "Edit", "/w/p/a.go", "/w/p/a.go").result("c1", "done").answer("Added the exporter with its tests.");
  EXPECT_THAT(state_after(s).problems, IsEmpty());
}

TEST(PackLines, WhatIsSaidOfTroubleIsOpenOnlyWhileARunFails) {
  EventScript s;
  s.user("How do the rows work?").answer("The ledger does not lock its rows, so two writers fail.");
  EXPECT_THAT(state_after(s).problems, IsEmpty());
  s.call("c1", "Bash", "go test ./rows").result("c1", "FAIL: TestRows", true);
  s.answer("The totals are wrong for leap years.");
  EXPECT_THAT(texts_in(state_after(s).problems), ElementsAre("The totals are wrong for leap years."));
  s.call("c2", "Bash", "go test ./rows").result("c2", "ok").answer("The dates are read from the ledger.");
  EXPECT_THAT(state_after(s).problems, IsEmpty());
  s.call("c3", "Bash", "sh replay.sh").result("c3", "lock is held", true).answer("The replay fails: lock is held.");
  s.user("Sort the rows.").call("c4", "Bash", "make sort").result("c4", "ok").answer("The rows are sorted.");
  EXPECT_THAT(texts_in(state_after(s).problems), ElementsAre("The replay fails: lock is held."));
  s.call("c5", "Bash", "sh replay.sh").result("c5", "ok").answer("The replay works.");
  EXPECT_THAT(state_after(s).problems, IsEmpty());
}

TEST(PackLines, WhatWasAnnouncedAndDoneIsNoNextStep) {
  EventScript s;
  s.user("Write the exporter.").answer("Now let me write the tests for the exporter.");
  s.call("c1", "Bash", "go test ./...").result("c1", "ok");
  s.answer("The dates are right. The remaining work is the report page of the figures.");
  s.call("c2", "Bash", "ls").result("c2", "x").answer("I'll write the report page now.");
  const WorkingState state = state_after(s);
  EXPECT_THAT(state.next_steps, IsEmpty()) << "the last words tell it";
  ASSERT_TRUE(state.last_words);
  EXPECT_TRUE(state.last_words->text.ends_with("I'll write the report page now."));
}

// The output says what the tool does not.
TEST(PackLines, AFailureThatNoExitCodeTellsIsAnOpenError) {
  EventScript s;
  s.user("Run the tests.");
  s.call("c1", "Bash", "go test ./rows | tail -3").result("c1", "--- FAIL: TestRows (0.1s)\nFAIL");
  s.answer("I ran the tests.");
  const WorkingState state = state_after(s);
  ASSERT_EQ(state.tests.size(), 1U);
  EXPECT_EQ(state.tests[0].outcome, TestOutcome::failed);
  ASSERT_TRUE(state.last_error);
  EXPECT_NE(state.last_error->text.find("TestRows"), std::string::npos);
}

TEST(PackLines, ATestWhoseResultIsNotKnownIsToldAsThat) {
  EventScript s;
  s.user("Run the tests.");
  s.call("c1", "Bash", "go test ./rows > log; ls").result("c1", "log");
  const WorkingState state = state_after(s);
  ASSERT_EQ(state.tests.size(), 1U);
  EXPECT_EQ(state.tests[0].outcome, TestOutcome::unknown);
  EXPECT_FALSE(state.last_error);
}

TEST(PackLines, WhatFailedBeforeSomethingPassedIsToldApart) {
  EventScript s;
  s.user("Write the exporter.");
  s.call("c1", "Bash", "go test ./rows").result("c1", "no such package", true);
  s.call("c2", "Bash", "go test ./src/rows").result("c2", "ok");
  s.call("c3", "Bash", "go test ./src/dates").result("c3", "FAIL", true);
  const WorkingState state = state_after(s);
  ASSERT_EQ(state.tests.size(), 3U);
  EXPECT_EQ(state.tests[0].line, "go test ./src/dates");
  EXPECT_EQ(state.tests[0].outcome, TestOutcome::failed);
  EXPECT_EQ(state.tests[1].outcome, TestOutcome::passed);
  EXPECT_EQ(state.tests[2].line, "go test ./rows");
  EXPECT_EQ(state.tests[2].outcome, TestOutcome::failed_before);
}

TEST(PackLines, ATestStandsOnceWhateverIsShownOfIt) {
  const std::string pattern(250, 'x');  // longer than the line of a test may be
  EventScript s;
  s.user("Write the exporter.");
  s.call("c1", "Bash", "go test ./rows 2>&1 | tail -5").result("c1", "FAIL: TestRows", true);
  s.call("c2", "Bash", "go test ./rows | tail -20").result("c2", "PASS");
  s.call("c3", "Bash", "go test -run " + pattern).result("c3", "ok");
  const WorkingState state = state_after(s);
  ASSERT_EQ(state.tests.size(), 2U);
  EXPECT_EQ(state.tests[1].line, "go test ./rows | tail -20");
  EXPECT_EQ(state.tests[1].outcome, TestOutcome::passed);
  const Pack pack = make_pack(state, 2000, {0.4, 0.2, 0.2, 0.2});
  EXPECT_THAT(pack.tests, SizeIs(1)) << "one that passed says enough";
  EXPECT_THAT(pack.commands, IsEmpty()) << "all of them are tests";
  EXPECT_EQ(pack.left_out, 0);
}

TEST(PackLines, WhatOnlySaysToGoOnOrAnnouncesIsNoDecision) {
  EventScript s;
  s.user("Write the exporter.").answer("Shall I write it in Go?").user("ok, let's go").answer("Begun.");
  s.answer("The fix: sort by the date instead of the id of the row:");
  s.answer("This is by design since nobody reads them.").answer("I'll use the index for that.");
  s.answer("I'll sort by date instead of the id, because ids have gaps.");
  s.user("Write the second half of the exporter.").answer("Done.");
  EXPECT_THAT(texts_in(state_after(s).said),
              ElementsAre("I'll sort by date instead of the id, because ids have gaps."));
}

TEST(PackLines, WhatAPersonSaysIsNoDecisionUnlessTheAgentAsked) {
  EventScript s;
  s.user("Write the exporter.").answer("I'll sort by date instead of the id, because ids have gaps.");
  s.user("Let's not split the export of totals into files.").choice("Which store?: SQLite").answer("Begun.");
  s.choice("What about this task?: Work on it now");
  s.user("Write the second half of the exporter.").answer("Done.");
  const Pack pack = make_pack(state_after(s), 2000, Weights().whole);
  EXPECT_THAT(pack.decisions, ElementsAre(testing::HasSubstr("SQLite")));
  EXPECT_THAT(pack.said, ElementsAre(testing::HasSubstr("not split"), testing::HasSubstr("ids have gaps")));
}

TEST(PackLines, AnAgentStatesAValueWhereItEndsTheWorkInFewWords) {
  const auto said_after = [](const std::string& on_the_way, const std::string& at_the_end) {
    EventScript s;
    s.user("How long does the export take?").answer(on_the_way).call("c1", "Bash", "time make rows").result("c1", "ok");
    s.answer(at_the_end).user("Write the second half of the exporter.").answer("Done.");
    return texts_in(state_after(s).said);
  };
  EXPECT_THAT(said_after("The last run took 14 minutes.", "The export takes 40 ms."),
              ElementsAre("The export takes 40 ms."));
  EXPECT_THAT(said_after("I look.", "The export takes 40 ms." + std::string(300, '.')), IsEmpty()) << "a long report";
  EXPECT_THAT(said_after("I look.", "It should take about 40 ms if you warm it up."), IsEmpty()) << "a guess";
}

TEST(PackLines, AValueOfAPersonIsToldUnlessItIsPasted) {
  EventScript s;
  s.user("Write the exporter.").answer("Begun.").user("Make it 4 seconds, the rows are slow in winter.").answer("Yes.");
  s.user("FAIL: TestRows (0.05 s)\n  rows_test.go: want 12 rows").answer("I see.");
  s.user("Write the second half of the exporter.").answer("Done.");
  EXPECT_THAT(texts_in(state_after(s).said), ElementsAre("Make it 4 seconds, the rows are slow in winter."));
}

TEST(PackLines, OfACommandsTemplateOnlyWhatWasTypedCounts) {
  const std::string rest =
      "\n\nYou MUST consider the user input before proceeding.\n\n## Outline\n\nAll paths must be absolute.";
  EventScript s;
  s.user("## User Input\n\n```text\nWrite the exporter. Never touch the parser, it is read by others.\n```" + rest);
  s.answer("Begun.").user("## User Input\n\n```text\n\n```" + rest).answer("Done.");
  const WorkingState state = state_after(s);
  EXPECT_THAT(texts_in(state.goal), ElementsAre("Write the exporter. Never touch the parser, it is read by others."));
  EXPECT_THAT(texts_in(state.constraints), ElementsAre("Never touch the parser, it is read by others."));
}

TEST(PackLines, WhatWasAskedForOnceIsDoneWhenOtherThingsAreAskedFor) {
  EventScript s;
  s.user("Write the exporter.").answer("Begun.").user("Then I'd like a list of the rows. It should be sorted.");
  s.answer("It is there.").user("Never print more than 20 rows.").answer("Right.");
  s.user("Now draw the page of the report for May.").answer("Drawn.").user("Now for June.").answer("Drawn.");
  EXPECT_THAT(texts_in(state_after(s).constraints), ElementsAre("Never print more than 20 rows."));
}

TEST(PackLines, ATestThatToldNothingIsNotListedBesideOneThatDid) {
  EventScript s;
  s.user("Run the tests.").call("c1", "Bash", "go test ./... > log; ls").result("c1", "log");
  EXPECT_THAT(make_pack(state_after(s), 1000, Weights().whole).tests, SizeIs(1));
  s.call("c2", "Bash", "go test ./rows").result("c2", "ok");
  EXPECT_THAT(make_pack(state_after(s), 1000, Weights().whole).tests, ElementsAre(testing::HasSubstr("./rows")));
}

TEST(PackLines, OfTestsThatAreOverTheNewestThatPassedIsListed) {
  EventScript s;
  s.user("Write the exporter.").call("c1", "Bash", "go test ./dates").result("c1", "FAIL", true);
  s.call("c2", "Bash", "go test ./rows").result("c2", "ok").call("c3", "Bash", "go test ./...").result("c3", "ok");
  const WorkingState passed = state_after(s);
  EXPECT_THAT(make_pack(passed, 1000, Weights().whole).tests, ElementsAre(testing::HasSubstr("passed: go test ./...")));
  EXPECT_THAT(make_pack(passed, 1000, Weights().whole).commands, IsEmpty());
  s.call("c4", "Bash", "go test ./pages").result("c4", "FAIL", true);
  EXPECT_THAT(make_pack(state_after(s), 1000, Weights().whole).tests,
              ElementsAre(testing::HasSubstr("FAILED: go test ./pages"), testing::HasSubstr("passed: go test ./...")));
}

TEST(PackLines, WhatWasStartedInAnEarlierTurnNoLongerRuns) {
  EventScript s;
  s.user("Serve the pages.").call("c1", "Bash", "./serve.sh --pages");
  s.result("c1", std::string(kBackgroundMark)).answer("It runs.");
  EXPECT_THAT(state_after(s).running, SizeIs(1));
  s.call("c2", "Bash", "./ask.sh").result("c2", "200").answer("It answers.");
  EXPECT_THAT(state_after(s).running, IsEmpty()) << "it was waited for";
  s.user("Write the exporter.").answer("Begun.");
  EXPECT_THAT(state_after(s).running, IsEmpty());
}

TEST(PackLines, PleaseAtTheEndBindsNobody) {
  EXPECT_THAT(constraints_of("Run the broken check, please."), IsEmpty());
  EXPECT_THAT(constraints_of("Please use tabs in the rows of the export."), SizeIs(1));
}

TEST(PackLines, FewLastWordsStandWithThoseBeforeThem) {
  EventScript s;
  s.user("Write the exporter.").answer("The dates of the export come from the ledger, which counts in weeks.");
  s.call("c1", "Bash", "ls").result("c1", "x").answer("Let me look at the ledger.");
  const WorkingState state = state_after(s);
  ASSERT_TRUE(state.last_words);
  EXPECT_EQ(state.last_words->text,
            "The dates of the export come from the ledger, which counts in weeks. Let me look at the ledger.");
}

TEST(PackNames, ThoseOfPersonsAndEditsComeBeforeThoseOnlySeen) {
  EventScript s;
  s.user("Please mend parseRows.").answer("I look at it.");
  s.call("c1", "Read", "/w/p/src/rows.go", "/w/p/src/rows.go").result("c1", "parseRows seenInPassing");
  s.call("c2", "Edit", "/w/p/src/rows.go", "/w/p/src/rows.go").result("c2", "done");
  const WorkingState state = state_after(s);
  ASSERT_FALSE(state.names.empty());
  EXPECT_EQ(state.names.front().text, "parseRows");
}

TEST(PackNames, StandWithTheirFile) {
  WorkingState state;
  state.cwd = "/w/p";
  state.files.push_back({"/w/p/src/rows.go", 2, 1, "", 7, 1});
  state.names = {{"parseRows", 9, "/w/p/src/rows.go", 41},
                 {"readDates", 8, "src/dates.go", 0},
                 {"tooUnlikely", 0.000001, "src/dates.go", 0}};
  const Pack pack = make_pack(state, 1000, Weights().whole);
  EXPECT_THAT(pack.files, ElementsAre("src/: rows.go e2 r1 {parseRows:41}, dates.go {readDates}"));
  EXPECT_EQ(pack.left_out, 1);
}

TEST(PackNames, FlagsAndNamesWithoutAPlaceTellNothing) {
  EventScript s;
  s.user("Where does EpochWeek come from?").call("c1", "Bash", "git log --oneline").result("c1", "3 EpochWeek");
  EXPECT_THAT(state_after(s).names, IsEmpty());
}

TEST(PackLines, ALookIsNotTold) {
  EventScript s;
  s.user("Why are the rows late?").call("c1", "Bash", "grep -rn parseRows src | head -5").result("c1", "3");
  s.call("c2", "Bash", "git log --oneline -3").result("c2", "x").call("c3", "Bash", "make check").result("c3", "ok");
  s.call("c4", "Bash", "git log --oneline -3").result("c4", "x");
  EXPECT_THAT(lines_in(state_after(s).commands), ElementsAre("make check"));
}

TEST(PackLines, ACommandThatChecksNothingIsListedIfItRanOften) {
  EventScript s;
  s.user("Write the exporter.").call("c1", "Bash", "deploy app").result("c1", "ok");
  s.call("c2", "Bash", "make lint").result("c2", "ok");
  for (const char* call : {"c3", "c4", "c5"})
    s.call(call, "Bash", "./run.sh --all").result(call, "ok");
  for (const char* call : {"c6", "c7", "c8"})
    s.call(call, "Bash", "render ${path}").result(call, "ok");
  s.call("d1", "Bash", "sh tools/verify.sh --rows 7").result("d1", "ok");
  s.call("d2", "Bash", "sh test-rows/harness.sh list").result("d2", "ok");
  s.call("d3", "Bash", "lint --version")
      .result("d3", "ok")
      .call("d4", "Bash", "make tasks | grep lint")
      .result("d4", "x");
  const auto listed = [&] {
    std::vector<std::string> out;
    for (const CommandGroup& group : make_pack(state_after(s), 2000, Weights().whole).commands)
      out.insert(out.end(), group.lines.begin(), group.lines.end());
    return out;
  };
  EXPECT_THAT(listed(), testing::UnorderedElementsAre("make lint", "./run.sh --all", "sh tools/verify.sh --rows 7"));
  for (const char* rows : {"a", "b", "c", "d"})
    s.call(rows, "Bash", std::string("make lint ROWS=") + rows).result(rows, "ok");
  EXPECT_THAT(listed(), SizeIs(4)) << "they were tries";
}

TEST(PackLines, ATextGivenToACommandIsNoCommand) {
  const std::string text(500, 'x');
  EventScript s;
  s.user("Write the exporter.").call("c1", "Bash", "apply_patch <<'END'\n+ rows\nEND").result("c1", "ok");
  s.call("c2", "Bash", "python3 - <<'END'\n" + text + "\nEND").result("c2", "ok");
  s.call("c3", "Bash", "./run.sh --all").result("c3", "ok");
  EXPECT_THAT(lines_in(state_after(s).commands), ElementsAre("./run.sh --all"));
}

TEST(PackLines, LinesThatDifferInNumbersAreOneAndTheNewestIsTold) {
  EventScript s;
  s.user("Take the next ones.").call("c1", "Bash", "bd close app-4te.1").result("c1", "ok");
  s.call("c2", "Bash", "bd close app-4te.2 | tail -3").result("c2", "ok");
  s.call("c3", "Bash", "bd close app-4te.3").result("c3", "ok");
  EXPECT_THAT(lines_in(state_after(s).commands), ElementsAre("bd close app-4te.3"));
}

TEST(PackLines, WhereFilesAreEditedADirectoryThatWasOnlyLookedAtHasNoLine) {
  WorkingState state;
  state.cwd = "/w/p";
  state.files = {
      {"/w/p/src/rows.go", 1, 0, "", 7, 3}, {"/w/p/docs/a.md", 0, 3, "", 7, 2}, {"/w/p/web/b.ts", 0, 2, "", 7, 1}};
  state.names = {{"parseRows", 9, "/w/p/lib/c.go", 41}};
  const Pack pack = make_pack(state, 1000, Weights().whole);
  EXPECT_THAT(pack.files, ElementsAre("src/: rows.go e1"));
  EXPECT_EQ(pack.left_out, 1) << "a file that tells nothing is not missing, a name without its file is";
  state.files.front().edits = 0;
  EXPECT_THAT(make_pack(state, 1000, Weights().whole).files, ElementsAre("docs/: a.md r3", "web/: b.ts r2"))
      << "nothing was edited, and the rows were named by a command only";
}

TEST(PackLines, NobodyIsToldToCommitOrToTidy) {
  EventScript s;
  s.user("Tidy the exporter.").call("c1", "Bash", "git status").result("c1", "clean");
  s.call("c2", "Bash", "chmod +x run.sh && git add run.sh").result("c2", "");
  s.call("c3", "Bash", "git commit -m 'Tidied'").result("c3", "[main 1a2b3c4] Tidied");
  s.call("c4", "Bash", "./run.sh --all; git status").result("c4", "ok");
  EXPECT_THAT(lines_in(state_after(s).commands), ElementsAre("./run.sh --all; git status"));
}

TEST(PackLines, ACommandThatFailedIsToldWhenItChecks) {
  EventScript s;
  s.user("Mend the build.").call("c1", "Bash", "exporter --rows").result("c1", "unknown option --rows", true);
  s.call("c2", "Bash", "go build ./...").result("c2", "rows.go:7: undefined: Rows", true);
  s.call("c3", "Read", "/w/p/rows.ts", "/w/p/rows.ts").result("c3", "File does not exist.", true);
  const WorkingState state = state_after(s);
  EXPECT_THAT(lines_in(state.commands), ElementsAre("go build ./..."));
  ASSERT_TRUE(state.last_error);
  EXPECT_THAT(state.last_error->text, testing::HasSubstr("undefined: Rows"));
  s.call("c4", "Bash", "go build -v ./...").result("c4", "done");
  EXPECT_FALSE(state_after(s).last_error) << "a build passed since";
}

TEST(PackLines, AnyFailureIsOpenWhileNothingElseWasRun) {
  EventScript s;
  s.user("Replay the week.").call("c1", "Bash", "exporter --rows").result("c1", "unknown option --rows", true);
  s.call("c2", "Bash", "sh replay.sh --from 478").result("c2", "lock 995 is held by nobody", true);
  s.call("c3", "Bash", "ls locks").result("c3", "995");
  const WorkingState state = state_after(s);
  ASSERT_TRUE(state.last_error);
  EXPECT_THAT(state.last_error->text, testing::AllOf(testing::HasSubstr("sh replay.sh --from 478"),
                                                     testing::HasSubstr("lock 995 is held by nobody")));
  s.call("c4", "Bash", "sh replay.sh --from 479").result("c4", "done");
  EXPECT_FALSE(state_after(s).last_error);

  ToolFacts three;  // as Cursor tells it
  three.exit_code = 3;
  s.call("c5", "Bash", "sh replay.sh --from 480").result("c5", "lock 995 is held by nobody").facts(three);
  ASSERT_TRUE(state_after(s).last_error);
}

TEST(PackLines, AGoalIsToldWithoutItsCode) {
  EventScript s;
  s.user("Write the exporter like this:\n```go\nfunc rows() int { return 7 }\n```\nand keep the dates.");
  s.answer("Written.").user("What does this mean?\n\n```go\nx := 1\n```").answer("A name.");
  EXPECT_THAT(texts_in(state_after(s).goal), ElementsAre("Write the exporter like this: [code] and keep the dates."));
}

TEST(PackLines, WhatALineRunsAmongOthersStandsThere) {
  EventScript s;
  s.user("Tidy the exporter.").call("c1", "Bash", "make lint").result("c1", "ok");
  s.call("c2", "Bash", "go test ./rows").result("c2", "ok");
  s.call("c3", "Bash", "make fmt && make lint 2>&1 | tail -3").result("c3", "ok");
  s.call("c4", "Bash", "go test ./rows && make fmt").result("c4", "ok");
  const WorkingState state = state_after(s);
  EXPECT_THAT(lines_in(state.commands),
              testing::UnorderedElementsAre("make fmt && make lint 2>&1 | tail -3", "go test ./rows && make fmt"));
  ASSERT_EQ(state.tests.size(), 1U);
  EXPECT_EQ(state.tests[0].line, "go test ./rows && make fmt");
}

TEST(PackLines, AQuestionIsNoGoalBesideOne) {
  EventScript s;
  s.user("Why are the rows late?").answer("They wait for the ledger.").user("Write the exporter.").answer("Begun.");
  s.user("What is a ledger?").answer("A list of bookings.").user("I see four of them?").answer("Yes.");
  EXPECT_THAT(texts_in(state_after(s).goal), ElementsAre("Write the exporter."));
  EventScript only;
  only.user("What is a ledger?").answer("A list of bookings.");
  EXPECT_THAT(texts_in(state_after(only).goal), ElementsAre("What is a ledger?"));
}

TEST(PackLines, AShellsScreenAndABareCommandAreNoGoalBesideOne) {
  for (const char* first : {"\u276f make\nNo rule to make target", "/review"}) {
    EventScript s;
    s.user(first).answer("I see.").user("Write the exporter.").answer("Begun.");
    EXPECT_THAT(texts_in(state_after(s).goal), ElementsAre("Write the exporter.")) << first;
  }
}

TEST(PackLines, WhatTheAgentOnlyAnsweredIsNoGoalBesideWork) {
  EventScript s;
  s.user("Write the exporter.").call("c1", "Edit", "/w/p/rows.go", "/w/p/rows.go").result("c1", "ok");
  s.user("I doubt that the ledger has such rows.").answer("It has none.");
  s.user("Say, do all months use the same ledger?").call("c2", "Read", "/w/p/rows.go").result("c2", "7");
  s.answer("They do.").user("and the years?");
  EXPECT_THAT(texts_in(state_after(s).goal), ElementsAre("Write the exporter."));
}

TEST(PackLines, TheFirstRequestIsAGoalUntilItIsCommittedOrOthersCame) {
  const std::string brief = "Write an exporter of the monthly figures" + std::string(200, '.');
  for (const auto& [first, commits, later, holds] :
       {std::tuple("Tidy the exporter.", false, 1, true), std::tuple("Tidy the exporter.", true, 1, false),
        std::tuple("Tidy the exporter.", false, 3, false), std::tuple(brief.c_str(), false, 3, true)}) {
    EventScript s;
    s.user(first).call("c0", "Edit", "/w/p/rows.go", "/w/p/rows.go").result("c0", "ok");
    if (commits) s.call("c", "Bash", "git commit -am 'Tidied'").result("c", "[main 1a2b3c4] Tidied");
    for (int i = 1; i <= later; ++i) {
      const std::string id = "c" + std::to_string(i);
      s.user("Now page " + std::to_string(i) + ".").call(id, "Edit", "/w/p/page.go", "/w/p/page.go").result(id, "ok");
    }
    EXPECT_EQ(state_after(s).goal.size(), holds ? 2U : 1U) << first << commits << later;
  }
}

TEST(PackLines, WorkOfAnotherBranchIsOver) {
  const auto files_after = [](const std::string& command) {
    EventScript s;
    s.in("/w/p", "rows");
    s.user("Tidy the exporter.").call("c1", "Edit", "/w/p/rows.go", "/w/p/rows.go").result("c1", "ok");
    s.user("Now the page.").call("c2", "Bash", command).result("c2", "ok");
    s.call("c3", "Edit", "/w/p/page.go", "/w/p/page.go").result("c3", "ok");
    std::vector<std::string> out;
    for (const WorkingFile& file : state_after(s).files)
      out.push_back(file.path);
    return out;
  };
  EXPECT_THAT(files_after("git checkout main && git pull"), ElementsAre("/w/p/page.go"));
  EXPECT_THAT(files_after("gh pr merge 7 --squash"), ElementsAre("/w/p/page.go"));
  EXPECT_THAT(files_after("gh pr merge 7 && git checkout rows"), ElementsAre("/w/p/page.go"));
  for (const char* stays : {"git checkout -b page", "git checkout -- rows_test.go", "git status",
                            "git checkout main && make test; git checkout rows"})
    EXPECT_THAT(files_after(stays), testing::UnorderedElementsAre("/w/p/page.go", "/w/p/rows.go")) << stays;
}

TEST(PackLines, AFileThatWasRemovedOrIsOfNoProjectHasNoLine) {
  EventScript s;
  s.user("Tidy the exporter.");
  int call = 0;
  for (const char* path : {"/w/p/rows.go", "/w/p/old.go", "/w/p/lib/a.go", "/w/p/todo/b.md", "/w/p/back.go",
                           "/tmp/try.go", "/home/me/.agent/memory/notes.md"}) {
    const std::string id = "c" + std::to_string(++call);
    s.call(id, "Edit", path, path).result(id, "ok");
  }
  s.call("d1", "Bash", "git rm -q /w/p/old.go && rm -rf /w/p/lib; mv /w/p/todo/b.md /w/p/done/b.md").result("d1", "");
  s.call("d2", "Bash", "rm /w/p/back.go").result("d2", "");
  s.call("d3", "Edit", "/w/p/back.go", "/w/p/back.go").result("d3", "ok");
  s.call("d4", "Write", "/w/p/lib/new.go", "/w/p/lib/new.go").result("d4", "ok");
  s.call("d5", "Bash", "rm lib/a.go").result("d5", "");
  std::vector<std::string> files;
  for (const WorkingFile& file : state_after(s).files)
    files.push_back(file.path);
  EXPECT_THAT(files,
              testing::UnorderedElementsAre("/w/p/rows.go", "/w/p/back.go", "/w/p/lib/new.go", "/w/p/done/b.md"));
}

TEST(PackLines, WhatAPersonAgreesToIsSaid) {
  EventScript s;
  s.user("Where do the messages go?").answer("We log to the journal only, and drop the files.").user("yes");
  s.answer("The notes are in the wiki.").user("Now the page.").answer("Begun.");
  EXPECT_THAT(texts_in(state_after(s).said), ElementsAre("We log to the journal only, and drop the files."));
}

TEST(PackLines, APromiseNamesWhatItPointsTo) {
  EventScript s;
  s.user("Write the exporter.").answer("The totals are not rounded. I'll fix that after the release.");
  s.user("Now the page.").answer("Begun.");
  EXPECT_THAT(texts_in(state_after(s).next_steps),
              ElementsAre("The totals are not rounded. I'll fix that after the release."));
}

TEST(PackLines, WhatAgreesToOneOfSeveralWaysIsNoGoalByItself) {
  EventScript s;
  s.user("Write the exporter.").answer("Shall I sort the rows by date?").user("yes please").answer("Sorted.");
  EXPECT_THAT(texts_in(state_after(s).goal), testing::Contains("agreed: Shall I sort the rows by date?"));
  s.answer("By file or by week. Which approach?").user("yes please").answer("Done.");
  EXPECT_THAT(texts_in(state_after(s).goal), ElementsAre("Write the exporter."));
}

TEST(PackLines, AStepThatWorkFollowedIsNotAhead) {
  EventScript s;
  s.user("Write the exporter.").answer("I'll read the rows of the ledger before I begin.");
  for (const char* call : {"c1", "c2", "c3"})
    s.call(call, "Read", "/w/p/rows.go", "/w/p/rows.go").result(call, "x");
  EXPECT_THAT(state_after(s).next_steps, IsEmpty());
  s.answer("The rows are right. I'll write the notes once the release is cut.");
  s.user("Mend the totals, too.").answer("They are mended.");
  EXPECT_THAT(texts_in(state_after(s).next_steps), ElementsAre("I'll write the notes once the release is cut."));
}

TEST(PackLines, AStepStaysAheadWhileOnlyQuestionsFollow) {
  EventScript s;
  s.user("Write the exporter.").call("c1", "Edit", "/w/p/rows.go", "/w/p/rows.go").result("c1", "ok");
  s.answer("The rows are written. Next I'll wire the exporter to the scheduler.");
  s.user("What is a ledger?").call("c2", "Read", "/w/p/rows.go").result("c2", "x");
  s.call("c3", "Bash", "cat rows.go").result("c3", "x").answer("A list of bookings.");
  EXPECT_THAT(texts_in(state_after(s).next_steps), ElementsAre("Next I'll wire the exporter to the scheduler."));
  s.user("Go on.").call("c4", "Bash", "make wire").result("c4", "ok").answer("It is wired.");
  EXPECT_THAT(state_after(s).next_steps, IsEmpty());
}

TEST(PackLines, WhatIsLeftOfTheTodoListComesNext) {
  EventScript s;
  s.user("Write the exporter.").call("c1", "TodoWrite", "3");
  s.facts({.todos = TodoUpdate{true,
                               {{"", "Read the rows", TodoState::done},
                                {"", "Write the größe → column", TodoState::in_progress},
                                {"", "Test the dates", TodoState::pending}}}});
  s.result("c1", "ok").call("c2", "TaskUpdate", "1").facts({.todos = TodoUpdate{false, {{"7", "", TodoState::done}}}});
  const WorkingState state = state_after(s);
  EXPECT_THAT(texts_in(state.next_steps),
              ElementsAre("in progress: Write the größe → column", "to do: Test the dates"));
  EXPECT_NE(state.next_steps.front().exchange, 0);
}

TEST(PackLines, ATodoListHoldsUntilSomethingElseIsRequested) {
  EventScript s;
  s.user("Write the exporter.").call("c1", "TodoWrite", "1");
  s.facts({.todos = TodoUpdate{true, {{"", "Test the dates", TodoState::pending}}}})
      .result("c1", "ok")
      .answer("Begun.");
  s.user("What is a ledger?").answer("A list of bookings.").user("Go on.").answer("The dates come first.");
  EXPECT_THAT(texts_in(state_after(s).next_steps), testing::Contains("to do: Test the dates"));
  s.user("Now write the page that shows the figures.").answer("Begun.");
  EXPECT_THAT(texts_in(state_after(s).next_steps), testing::Not(testing::Contains("to do: Test the dates")));
}

TEST(PackLines, ATodoListThatNobodyChangesIsGivenUp) {
  EventScript s;
  s.user("Write the exporter.").call("c1", "TodoWrite", "1");
  s.facts({.todos = TodoUpdate{true, {{"", "Test the dates", TodoState::pending}}}}).result("c1", "ok");
  for (int call = 0; call < 80; ++call)
    s.call("r" + std::to_string(call), "Read", "/w/p/rows.go", "/w/p/rows.go").result("r" + std::to_string(call), "x");
  EXPECT_THAT(texts_in(state_after(s).next_steps), IsEmpty());
}

TEST(PackLines, AFileStandsUnderOneName) {
  EventScript s;
  s.user("Write the exporter.").answer("I see. Now let me write the rows of the export:");
  s.call("c1", "Edit", "/w/p/src/rows.go", "/w/p/src/rows.go").result("c1", "done");
  s.call("c2", "Bash", "cat rows.go src/rows.go ./src/rows.go a/src/rows.go").result("c2", "x");
  s.call("c3", "Bash", "cd src && cat ../src/dates.go && grep 'store.Load/store.Save' *").result("c3", "x");
  const WorkingState state = state_after(s);
  std::vector<std::string> paths;
  for (const WorkingFile& file : state.files)
    paths.push_back(file.path);
  EXPECT_THAT(paths, testing::UnorderedElementsAre("/w/p/src/rows.go", "/w/src/dates.go"));
  EXPECT_EQ(state.files.front().purpose, "write the rows of the export");
}

TEST(PathNames, ARelativePathIsTheOneKnownFileOrInTheOneKnownDirectory) {
  PathNames names("/w/p");
  names.add("/w/p/cli/strategy/hooks.go");
  names.add("/w/p/cli/root.go");
  names.add("/w/p/web/root.go");
  EXPECT_EQ(names.absolute("strategy/hooks.go"), "/w/p/cli/strategy/hooks.go");
  EXPECT_EQ(names.absolute("b/strategy/hooks.go"), "/w/p/cli/strategy/hooks.go");
  EXPECT_EQ(names.absolute("strategy/new.go"), "/w/p/cli/strategy/new.go");
  EXPECT_EQ(names.absolute("cli/root.go"), "/w/p/cli/root.go");
  EXPECT_EQ(names.absolute("root.go"), "/w/p/root.go") << "could be either";
  EXPECT_EQ(names.absolute("docs/plan.md"), "/w/p/docs/plan.md");
  EXPECT_EQ(names.absolute("../q/x.md"), "/w/q/x.md");
  EXPECT_EQ(names.absolute("/etc/x.conf"), "/etc/x.conf");
}

TEST(PathNames, APathThatIsCutIsNone) {
  EXPECT_THAT(paths_in("cat src/a.go src/b.py", false), ElementsAre("src/a.go"));
  EXPECT_THAT(paths_in("cat src/a.go src/b.py…", false), ElementsAre("src/a.go"));
  EXPECT_THAT(paths_in("cat src/a.go src/b.py", true), ElementsAre("src/a.go", "src/b.py"));
  EXPECT_THAT(paths_in("rm src/*.go x/{a,b}.ts /store.Load", true), IsEmpty());
}

}  // namespace
}  // namespace memd::continuity

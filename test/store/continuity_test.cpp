#include "schemas/base/error.hpp"
#include "store/insight/continuity/pack.hpp"
#include "store/insight/continuity/text_content.hpp"
#include "store/read/session_past.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/scripted_store.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace memd::continuity {
namespace {

using test::EventScript;

// A session with two compactions, each in the middle of an exchange.
EventScript two_compactions() {
  EventScript s;
  s.user("Add a --dry-run flag to the importer. Don't touch the parser.");
  s.answer("I'll begin with the flags.");
  s.call("c1", "Write", "/w/p/src/importer.go", "/w/p/src/importer.go").result("c1", "package src; func parseFlags()");
  s.answer("Going with a flag set instead of an environment variable because it is tested more easily.");
  s.call("c2", "Edit", "/w/p/src/importer.go", "/w/p/src/importer.go").result("c2", "done", false, 3, 1);
  s.call("c3", "Bash", "go test ./src/...").result("c3", "FAIL: TestDryRun importer_test.go:12", true);
  s.answer("TestDryRun fails because parseFlags is called twice.");
  s.lifecycle("compaction", "auto, 160000 tokens before").lifecycle("compact_summary", "a summary");
  s.answer("After the first compaction: now secretFutureName appears.");
  s.call("c4", "Bash", "make futureTarget").result("c4", "ok");
  s.intervention("Also use tabs, not blanks, in futureFile.go");
  s.lifecycle("compaction", "manual").lifecycle("compact_summary", "another");
  s.answer("And laterStillName after the second.");
  return s;
}

class ContinuityTest : public testing::Test {
 protected:
  void SetUp() override { test::take_in(file_, two_compactions()); }
  SessionPast past(BoundaryChoice choice = {}) {
    Reader reader(file_);
    auto latest = reader.ask(SessionQuery{"latest"});
    EXPECT_TRUE(latest);
    auto out = reader.ask(SessionPastQuery{latest->pk, choice});
    EXPECT_TRUE(out) << out.error().message();
    return std::move(*out);
  }
  static std::string all_of(const SessionPast& p) {
    std::string out;
    for (const PastText& t : p.texts)
      out.append(t.text).append("\n");
    for (const PastEvent& e : p.events)
      out += e.summary + "\n" + e.path + "\n";
    for (const ExchangeRow& e : p.exchanges)
      out += e.user_message + e.interventions + e.assistant_response;
    return out;
  }
  static std::string all_of(const Pack& p) {
    std::string out = p.last_error.value_or("") + p.last_words.value_or("");
    for (const auto* list :
         {&p.goal, &p.constraints, &p.decisions, &p.said, &p.problems, &p.next_steps, &p.tests, &p.files})
      for (const std::string& line : *list)
        out += line + "\n";
    for (const CommandGroup& g : p.commands)
      for (const std::string& line : g.lines)
        out += line + "\n";
    return out;
  }

  test::TempDir dir_;
  std::filesystem::path file_ = dir_ / "memd.db";
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST_F(ContinuityTest, TheLastCompactionIsTheBoundaryAndNothingBehindItIsKnown) {
  const SessionPast p = past();
  EXPECT_EQ(p.boundary.kind, BoundaryKind::compaction);
  EXPECT_EQ(p.boundary.number, 2);
  EXPECT_EQ(p.boundary.count, 2);
  EXPECT_EQ(p.boundary.detail, "manual");
  EXPECT_TRUE(p.boundary.summary_seq.has_value());
  EXPECT_TRUE(p.worked_on);
  const std::string all = all_of(p);
  EXPECT_TRUE(has(all, "secretFutureName"));
  EXPECT_TRUE(has(all, "Also use tabs"));
  EXPECT_FALSE(has(all, "laterStillName"));
}

TEST_F(ContinuityTest, AnEarlierCompactionCanBeChosen) {
  const SessionPast p = past({BoundaryChoice::At::number, 1});
  const std::string all = all_of(p);
  EXPECT_TRUE(has(all, "TestDryRun fails"));
  EXPECT_FALSE(has(all, "secretFutureName"));
  EXPECT_FALSE(has(all, "futureTarget"));
  EXPECT_FALSE(has(all, "futureFile"));
  EXPECT_FALSE(has(all_of(make_pack(recover_state(p), 4000, Weights().whole)), "uture"));
}

TEST_F(ContinuityTest, TheEndKnowsEverything) {
  const SessionPast p = past({BoundaryChoice::At::end, 0});
  EXPECT_EQ(p.boundary.kind, BoundaryKind::end);
  EXPECT_TRUE(has(all_of(p), "laterStillName"));
}

TEST_F(ContinuityTest, ANumberThatIsNotThereIsAnArgumentError) {
  Reader reader(file_);
  const auto session = reader.ask(SessionQuery{"latest"});
  ASSERT_TRUE(session);
  const auto p = reader.ask(SessionPastQuery{session->pk, {BoundaryChoice::At::number, 3}});
  ASSERT_FALSE(p);
  EXPECT_TRUE(p.error().is(Errc::invalid_argument));
  EXPECT_TRUE(has(p.error().message(), "1 to 2"));
}

TEST_F(ContinuityTest, ADecisionIsToldOnceApartFromWhatAnAgentSaid) {
  file_ = dir_ / "decisions.db";
  EventScript s;
  s.user("How shall the rows be kept?").choice("Which store?: SQLite");
  s.answer(
      "Going with a flag set instead of an environment variable because it is tested more easily, a reader finds it in "
      "the help, and nobody has to look for what else the environment of the importer may hold.");
  s.user("Write the second half of the importer.").answer("Done.");
  test::take_in(file_, s);
  const WorkingState state = recover_state(past({BoundaryChoice::At::end}));
  ASSERT_EQ(state.decisions.size(), 1U);
  EXPECT_EQ(state.decisions[0].text, "Which store?: SQLite");
  ASSERT_EQ(state.said.size(), 1U);
  EXPECT_TRUE(state.said[0].text.ends_with("may hold."));
}

TEST_F(ContinuityTest, StateHoldsWhatAnAgentGoesOnWith) {
  const WorkingState s = recover_state(past({BoundaryChoice::At::number, 1}));
  EXPECT_EQ(s.cwd, "/w/p");
  EXPECT_EQ(s.branch, "main");
  ASSERT_FALSE(s.goal.empty());
  EXPECT_TRUE(has(s.goal.front().text, "--dry-run"));
  ASSERT_FALSE(s.constraints.empty());
  EXPECT_TRUE(has(s.constraints.front().text, "Don't touch the parser"));
  ASSERT_FALSE(s.said.empty());
  EXPECT_TRUE(has(s.said.front().text, "flag set instead of an environment variable because"));
  ASSERT_TRUE(s.last_error.has_value());
  EXPECT_TRUE(has(s.last_error->text, "FAIL: TestDryRun"));
  ASSERT_FALSE(s.problems.empty());
  EXPECT_TRUE(has(s.problems.front().text, "parseFlags is called twice"));
  ASSERT_EQ(s.tests.size(), 1U);
  EXPECT_EQ(s.tests.front().line, "go test ./src/...");
  EXPECT_EQ(s.tests.front().outcome, TestOutcome::failed);
  ASSERT_FALSE(s.files.empty());
  EXPECT_EQ(s.files.front().path, "/w/p/src/importer.go");
  EXPECT_EQ(s.files.front().edits, 2);
  ASSERT_FALSE(s.commands.empty());
  EXPECT_TRUE(s.commands.front().failed);
  const auto name = std::find_if(s.names.begin(), s.names.end(), [](const auto& n) { return n.text == "parseFlags"; });
  EXPECT_NE(name, s.names.end());
}

TEST_F(ContinuityTest, PackNeverCostsMoreThanAllowedByMuchAndIsTheSameEachTime) {
  const WorkingState s = recover_state(past());
  std::size_t before = 0;
  for (const std::size_t tokens : {0U, 20U, 60U, 150U, 400U, 1000U}) {
    const std::string once = all_of(make_pack(s, tokens, Weights().whole));
    EXPECT_EQ(once, all_of(make_pack(s, tokens, Weights().whole)));
    EXPECT_LE(once.size(), tokens * 5 + 8);
    EXPECT_GE(once.size() + 20, before);
    before = once.size();
  }
}

TEST_F(ContinuityTest, ComplementLeavesOutWhatIsSaid) {
  WorkingState s = recover_state(past({BoundaryChoice::At::number, 1}));
  const TextContent said(
      "The user wants a --dry-run flag for the importer, and not to touch the parser.\n"
      "- src/importer.go was changed, TestDryRun fails.\nRun `go test ./src/...`.");
  EXPECT_GE(leave_out(s, said), 3);
  EXPECT_TRUE(s.files.empty());
  EXPECT_TRUE(s.commands.empty());
  const auto has_name = [&](std::string_view n) {
    return std::any_of(s.names.begin(), s.names.end(), [&](const auto& x) { return x.text == n; });
  };
  EXPECT_TRUE(has_name("parseFlags"));
}

TEST(ContinuityOfNothing, ASessionWithoutCompactionIsToldToItsEnd) {
  test::TempDir dir;
  EventScript s("codex:r1");
  s.user("Why does the build break?").answer("The linker misses a library.");
  test::take_in(dir / "memd.db", s, Platform::codex);
  Reader reader(dir / "memd.db");
  const auto session = reader.ask(SessionQuery{"latest"});
  ASSERT_TRUE(session);
  const auto p = reader.ask(SessionPastQuery{session->pk, {}});
  ASSERT_TRUE(p);
  EXPECT_EQ(p->boundary.kind, BoundaryKind::end);
  EXPECT_EQ(p->boundary.count, 0);
  const WorkingState state = recover_state(*p);
  ASSERT_EQ(state.goal.size(), 1U);
  EXPECT_TRUE(has(state.goal.front().text, "build break"));
  EXPECT_TRUE(recover_state(SessionPast()).goal.empty());
}

TEST(ContinuityOfNothing, AFileOfAProjectAmongTemporaryOnesCountsWhereOnlyTheSessionNamesTheDirectory) {
  test::TempDir dir;
  EventScript s("pi:r1");
  s.begun_in("/tmp/trial").user("Move the ferry to 23:40.");
  s.call("c1", "edit", "/tmp/trial/ferry.ini", "/tmp/trial/ferry.ini").result("c1", "done");
  s.call("c2", "edit", "/tmp/other.txt", "/tmp/other.txt").result("c2", "done");
  test::take_in(dir / "memd.db", s, Platform::pi);
  Reader reader(dir / "memd.db");
  const auto session = reader.ask(SessionQuery{"latest"});
  ASSERT_TRUE(session);
  const auto p = reader.ask(SessionPastQuery{session->pk, {}});
  ASSERT_TRUE(p);
  const WorkingState state = recover_state(*p);
  ASSERT_EQ(state.files.size(), 1U);
  EXPECT_EQ(state.files.front().path, "/tmp/trial/ferry.ini");
}

}  // namespace
}  // namespace memd::continuity

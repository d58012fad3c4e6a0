// Observations as the writer stores them: from texts and from results of calls.
#include "store/read/observations.hpp"
#include "store/read/session_contents.hpp"
#include "test/support/event_script.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using test::EventScript;
using testing::ElementsAre;

class ObservationRowsTest : public test::WriterFixture {
 protected:
  std::vector<std::string> observations() const {
    return rows("SELECT exchange_number || ' ' || type || ' ' || content FROM observations ORDER BY event_seq");
  }
};

EventScript recovery() {
  EventScript s;
  s.user("Make it build. Always run the formatter before committing.");
  s.call("b1", "Bash", "make all").result("b1", "error: x", true);
  s.call("t1", "Bash", "go test ./...").result("t1", "FAIL", true);
  s.answer("The real problem is that the header is read twice.");
  s.call("e1", "Edit", "/w/p/a.go", "/w/p/a.go").result("e1", "ok", false, 3, 1);
  s.call("b2", "Bash", "make all").result("b2", "ok");
  s.call("t2", "Bash", "go test ./...").result("t2", "ok");
  s.answer("Fixed the header reader so that it stops at the first blank line.");
  return s;
}

TEST_F(ObservationRowsTest, TellHowAnErrorWasSolved) {
  apply(recovery().batch());
  EXPECT_THAT(observations(),
              ElementsAre("0 pattern Always run the formatter before committing.",
                          "0 problem The real problem is that the header is read twice.",
                          "0 solution Bash: make all works after edits to a.go",
                          "0 success Bash: go test ./... passes after edits to a.go",
                          "0 bugfix Fixed the header reader so that it stops at the first blank line."));
}

TEST_F(ObservationRowsTest, AreTheSameEventByEvent) {
  const EventBatch whole = recovery().batch();
  apply(whole);
  const auto at_once = observations();
  file_ = dir_ / "piecewise.db";
  for (const Event& e : whole.events) {
    EventBatch one;
    one.events = {e};
    open();  // a new writer for each event: its only memory is the rows
    apply(std::move(one));
  }
  EXPECT_EQ(observations(), at_once);
}

TEST_F(ObservationRowsTest, ACallThatWorksWithoutAnEditSolvedNothing) {
  EventScript s;
  s.user("Make it build.");
  s.call("b1", "Bash", "make all").result("b1", "error: network", true);
  s.call("b2", "Bash", "make all").result("b2", "ok");
  s.call("e1", "Edit", "/w/p/a.go", "/w/p/a.go").result("e1", "ok", false, 3, 1);
  s.call("b3", "Bash", "make all").result("b3", "ok");  // it worked before the edit, too
  apply(s.batch());
  EXPECT_THAT(observations(), ElementsAre());
}

TEST_F(ObservationRowsTest, TheSameWordsOfASessionAreOneObservation) {
  EventScript s;
  s.user("why?").answer("It turns out the cache is keyed by path only.");
  s.user("again?").answer(
      "**It turns out** the cache is keyed by path only!\n\nThe real problem is in the cache key itself.");
  apply(s.batch());
  EXPECT_THAT(observations(), ElementsAre("0 discovery It turns out the cache is keyed by path only.",
                                          "1 problem The real problem is in the cache key itself."));
}

TEST_F(ObservationRowsTest, AreReadWithTheTextsOfTheirSession) {
  apply(recovery().batch());
  auto db = reading();
  const SessionDigest digest = SessionDigestQuery{1, 0, 99}.run(db);
  ASSERT_EQ(digest.exchanges.size(), 1U);
  EXPECT_EQ(digest.exchanges[0].tool_text, "");
  EXPECT_THAT(digest.exchanges[0].assistant_response, testing::HasSubstr("first blank line"));
  ASSERT_EQ(digest.files.size(), 1U);
  EXPECT_EQ(digest.files[0].path, "/w/p/a.go");
  EXPECT_EQ(digest.files[0].lines_added, 3);
  ASSERT_EQ(digest.observations.size(), 5U);
  EXPECT_EQ(digest.observations[2].type, ObservationType::solution);
  EXPECT_EQ(digest.observations[2].tool, "Bash");
  EXPECT_TRUE((SessionDigestQuery{1, 1, 99}.run(db).exchanges.empty()));
}

class DecisionRowsTest : public ObservationRowsTest {
 protected:
  std::vector<std::string> decisions() const {
    return rows(
        "SELECT o.exchange_number || ' ' || d.kind || ' ' || d.decided_by || ' ' || o.content ||"
        " iif(d.rejected = '', '', ' | not ' || d.rejected) ||"
        " coalesce(' | reversed in ' || (SELECT exchange_number FROM observations r"
        " WHERE r.observation_pk = d.reversed_by), '')"
        " FROM decisions d JOIN observations o USING (observation_pk) ORDER BY o.event_seq, o.observation_pk");
  }
};

EventScript choices() {
  EventScript s;
  s.user("Which format?").choice("Which format?: raw NPY files\nShould `fps` go into the name?: no");
  s.answer("I'll use raw NPY files rather than archives.");
  s.user("let's use archives instead of raw NPY files").answer("Done. Want me to commit this?");
  s.user("Implement the following plan:\n\n# Archives by day\n");
  s.intervention("don't change the binary index of motions");
  return s;
}

// Half of what is recognised in sentences is no decision (docs/benchmarks.md#decisions).
TEST_F(DecisionRowsTest, AreWhatAPersonChoseWhenAsked) {
  apply(choices().batch());
  EXPECT_THAT(decisions(), ElementsAre("0 3 0 Which format?: raw NPY files", "0 3 0 Should `fps` go into the name?: no",
                                       "2 4 0 Archives by day"));
  EXPECT_THAT(rows("SELECT summary FROM events WHERE kind = 10"), testing::SizeIs(1)) << "no event of a sentence";
  auto db = reading();
  const SessionDigest digest = SessionDigestQuery{1, 0, 99}.run(db);
  ASSERT_EQ(digest.observations.size(), 3U);
  const Observation& users = digest.observations[0];
  ASSERT_TRUE(users.decision);
  EXPECT_EQ(users.decision->by, DecidedBy::user);
  EXPECT_EQ(users.decision->chosen, "raw NPY files");
}

TEST_F(DecisionRowsTest, AreTheSameEventByEvent) {
  const EventBatch whole = choices().batch();
  apply(whole);
  const auto at_once = decisions();
  file_ = dir_ / "piecewise.db";
  for (const Event& e : whole.events) {
    EventBatch one;
    one.events = {e};
    open();
    apply(std::move(one));
  }
  EXPECT_EQ(decisions(), at_once);
}

TEST_F(DecisionRowsTest, ComeFromDialogsAndAcceptedPlans) {
  EventBatch batch = EventScript().user("Go on.").answer("Which?").batch();
  Event choice = batch.events.back();
  choice.event_id = record_key(Platform::claude_code, "choice");
  choice.kind = EventKind::decision;
  choice.role = Role::user;
  choice.origin = Origin::embedded;
  choice.text = "Which table?: one (Recommended)\nIs that all?: what else is there?";
  batch.events.push_back(choice);
  choice.event_id = record_key(Platform::claude_code, "plan");
  choice.text = std::string(kPlanAccepted) + "# One table ## Context";
  batch.events.push_back(choice);
  choice.event_id = record_key(Platform::claude_code, "imported");
  choice.origin = Origin::none;
  choice.text = "I'll use: tables";
  batch.events.push_back(choice);
  apply(std::move(batch));
  EXPECT_THAT(decisions(), ElementsAre("0 3 0 Which table?: one (Recommended)", "0 4 0 One table"));
}

TEST_F(DecisionRowsTest, AreListedNewestFirst) {
  apply(choices().batch());
  auto db = reading();
  ObservationListQuery query;
  query.type = ObservationType::decision;
  query.limit = 3;
  const ObservationList list = query.run(db);
  EXPECT_EQ(list.total, 3);
  ASSERT_EQ(list.observations.size(), 3U);
  EXPECT_EQ(list.observations[0].observation.content, "Archives by day");
  EXPECT_EQ(list.observations[0].session_uid, "claude_code:s1");
  query.type = ObservationType::problem;
  EXPECT_EQ(query.run(db).total, 0);
  const std::vector<ExchangeId> ids{list.observations[1].exchange_id};
  const auto of_one = ObservationsOfQuery{ids}.run(db);
  ASSERT_EQ(of_one.size(), 2U);
  EXPECT_EQ(of_one[0].observation.content, "Which format?: raw NPY files");
}

}  // namespace
}  // namespace memd

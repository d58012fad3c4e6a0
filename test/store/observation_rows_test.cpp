// Observations as the writer keeps them: from texts and from what calls came to.
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
    open();  // a writer of its own for each: nothing is remembered but the rows
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
  s.call("b3", "Bash", "make all").result("b3", "ok");  // it had worked before the edit
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

}  // namespace
}  // namespace memd

#include "store/write/turn_dag.hpp"
#include "store/search/words/query_parser.hpp"

#include "schemas/search.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/session_past.hpp"
#include "store/reader.hpp"
#include "test/support/event_script.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memd {
namespace {

using assembly::Turn;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Pair;

constexpr std::int64_t kEventsATurn = 10;

// Returns turns of ten events each. `parents`: the turn that each one follows; −1: none.
std::vector<Turn> tree(const std::vector<int>& parents) {
  std::vector<Turn> turns;
  for (const int parent : parents) {
    const auto number = static_cast<std::int64_t>(turns.size());
    turns.push_back({number, number * kEventsATurn, parent < 0 ? -1 : parent * kEventsATurn + 7});
  }
  return turns;
}

TEST(AbandonedTurns, AreThoseOffTheWayToTheLast) {
  EXPECT_THAT(assembly::abandoned_turns({}), IsEmpty());
  EXPECT_THAT(assembly::abandoned_turns(tree({-1, 0, 1, 2})), IsEmpty());
  EXPECT_THAT(assembly::abandoned_turns(tree({-1, 0, 1, 0})), ElementsAre(Pair(1, 3), Pair(2, 3)));
  EXPECT_THAT(assembly::abandoned_turns(tree({-1, 0, 1, 0, 3, 3})), ElementsAre(Pair(1, 3), Pair(2, 3), Pair(4, 5)));
  EXPECT_THAT(assembly::abandoned_turns(tree({-1, 0, -1})), ElementsAre(Pair(0, 2), Pair(1, 2)));
}

TEST(AbandonedTurns, OfABranchThatWasTakenUpAgainNothingIsAbandoned) {
  EXPECT_THAT(assembly::abandoned_turns(tree({-1, 0, 1, 0, 2})), ElementsAre(Pair(3, 1)));
}

TEST(AbandonedTurns, WhatIsNotToldFollowsTheTurnBefore) {
  auto turns = tree({-1, 0, 1, 2, 1});
  turns[2].parent_seq.reset();
  turns[3].parent_seq.reset();
  EXPECT_THAT(assembly::abandoned_turns(turns), ElementsAre(Pair(2, 4), Pair(3, 4)));
}

TEST(AbandonedTurns, AgreeWithWalkingUpFromEach) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<int> parents{-1};
    const int n = 2 + static_cast<int>(random() % 12);
    while (static_cast<int>(parents.size()) < n) {
      const int last = static_cast<int>(parents.size()) - 1;
      parents.push_back(random() % 3 == 0 ? static_cast<int>(random() % parents.size()) : last);
    }
    std::map<int, int> way;  // turn → the next one on the path to the last turn
    for (int t = n - 1, next = -1; t >= 0; next = t, t = parents[static_cast<std::size_t>(t)])
      way[t] = next;
    std::map<std::int64_t, std::int64_t> want;
    for (int t = 0; t < n; ++t) {
      int up = t;
      while (!way.contains(up))
        up = parents[static_cast<std::size_t>(up)];
      if (up != t) want[t] = way[up];
    }
    ASSERT_EQ(assembly::abandoned_turns(tree(parents)), want) << testing::PrintToString(parents);
  }
}

TEST(ParallelTurns, AreContinuedInAlternation) {
  EXPECT_THAT(assembly::parallel_turns(tree({-1, 0, 0})), IsEmpty());
  EXPECT_THAT(assembly::parallel_turns(tree({-1, 0, 0, 0})), IsEmpty());
  EXPECT_THAT(assembly::parallel_turns(tree({-1, 0, 0, 1})), IsEmpty()) << "taken up again";
  EXPECT_THAT(assembly::parallel_turns(tree({-1, 0, 0, 1, 2})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(assembly::parallel_turns(tree({-1, 0, 1, 1, 2, 3, 5})), ElementsAre(2, 3, 4, 5, 6))
      << "not what was before";
}

TEST(ParallelTurns, OneIsWorkedOnAfterTheOtherBegan) {
  auto turns = tree({-1, 0, 0});
  turns[1].last_said = 18;
  EXPECT_THAT(assembly::parallel_turns(turns), IsEmpty());
  turns[1].last_said = 24;
  EXPECT_THAT(assembly::parallel_turns(turns), ElementsAre(1, 2));
}

// Records as a source has them, each with or without an event.
class TurnDag : public test::WriterFixture {
 protected:
  struct Written {
    std::optional<Event> event;
    EventlessRecord record;
  };

  // `parent` is the index of the record that this one follows; −1: none.
  void prompt(const std::string& text, int parent) { add(script_.user(text), parent); }
  void answer(const std::string& text, int parent) { add(script_.answer(text), parent); }
  void mark(const std::string& name, int parent) { add(script_.lifecycle(name), parent); }
  // Writes a record once more, under a new id.
  void again(int place, int parent) {
    Event e = records_[static_cast<std::size_t>(place)].event.value();
    e.event_id = record_key(Platform::claude_code, "again " + std::to_string(records_.size()));
    e.parent_id = id_of(parent);
    records_.push_back({std::move(e), {}});
  }
  void silent(int parent) {
    const std::uint64_t id = record_key(Platform::claude_code, "silent " + std::to_string(records_.size()));
    records_.push_back({std::nullopt, {"claude_code:s1", id, id_of(parent)}});
  }

  // Applies all records at once, or each by a new process.
  void take_in() {
    EventBatch batch;
    for (const Written& r : records_)
      put(r, batch);
    apply(std::move(batch));
  }
  void take_in_singly() {
    for (const Written& r : records_) {
      open();
      EventBatch batch;
      put(r, batch);
      apply(std::move(batch));
    }
  }

  std::string parents() const {
    std::string out;
    for (const auto& row : rows("SELECT seq || '<' || coalesce(parent_seq, iif(flags & 1024, 'root', '?')) FROM events"
                                " ORDER BY seq"))
      out += row + " ";
    return out;
  }
  std::vector<std::string> abandoned() const {
    return rows("SELECT exchange_number || ' for ' || abandoned_for FROM abandoned_exchanges ORDER BY exchange_number");
  }

  // Asks questions, then goes back and asks the second one again.
  void rewind() {
    prompt("one", -1);          // 0
    silent(0);                  // 1
    answer("one, done", 1);     // 2
    mark("turn_duration", 2);   // 3
    prompt("two", 3);           // 4
    answer("two, done", 4);     // 5
    silent(5);                  // 6
    silent(6);                  // 7
    prompt("three", 7);         // 8
    answer("three, done", 8);   // 9
    silent(3);                  // 10: back to before "two"
    prompt("two, again", 10);   // 11
    answer("two, better", 11);  // 12
  }

  std::vector<Written> records_;

 private:
  static void put(const Written& r, EventBatch& batch) {
    if (r.event)
      batch.events.push_back(*r.event);
    else
      batch.silent.push_back(r.record);
  }
  std::uint64_t id_of(int place) const {
    if (place < 0) return 0;
    const Written& r = records_[static_cast<std::size_t>(place)];
    return r.event ? r.event->event_id : r.record.record_id;
  }
  void add(const test::EventScript& script, int parent) {
    Event e = script.events().back();
    e.parent_id = id_of(parent);
    records_.push_back({std::move(e), {}});
  }

  test::EventScript script_;
};

TEST_F(TurnDag, AnEventFollowsTheOneThatItsRecordNamesThroughRecordsWithoutEvents) {
  rewind();
  take_in();
  EXPECT_EQ(parents(), "0<root 1<0 2<1 3<2 4<3 5<4 6<5 7<2 8<7 ");
  EXPECT_THAT(abandoned(), ElementsAre("1 for 3", "2 for 3"));
}

TEST_F(TurnDag, RecordByRecordAndWithRestartsItIsTheSame) {
  rewind();
  take_in();
  auto whole = reading();
  const auto want = test::dump_store(whole);
  const auto silent = rows("SELECT record_key || ' ' || follows FROM silent_records ORDER BY record_key");
  EXPECT_EQ(silent.size(), 3u) << "one is followed by another of its kind";
  file_ = dir_ / "singly.db";
  take_in_singly();
  auto singly = reading();
  EXPECT_EQ(test::dump_store(singly), want);
  const auto each = rows("SELECT record_key || ' ' || follows FROM silent_records ORDER BY record_key");
  EXPECT_EQ(each.size(), 4u);
  EXPECT_THAT(each, IsSupersetOf(silent));
  take_in();  // a second time
  auto again = reading();
  EXPECT_EQ(test::dump_store(again), want);
}

TEST_F(TurnDag, ABranchThatIsTakenUpAgainIsNotAbandoned) {
  rewind();
  prompt("three, after all", 9);
  take_in_singly();
  EXPECT_THAT(abandoned(), ElementsAre("3 for 1"));
}

// Claude Code does this when it clears the context to carry out a plan.
TEST_F(TurnDag, APromptThatFollowsNothingTakesNothingBack) {
  rewind();
  prompt("Implement the following plan: …", -1);
  take_in();
  EXPECT_THAT(abandoned(), ElementsAre("1 for 3", "2 for 3"));
}

TEST_F(TurnDag, TheFirstPromptAskedAgain) {
  mark("mode_change", -1);  // 0
  prompt("one", 0);         // 1
  answer("done", 1);        // 2
  prompt("one, put better", 0);
  take_in();
  EXPECT_THAT(abandoned(), ElementsAre("0 for 1"));
}

TEST_F(TurnDag, ForksInsideOfAnExchangeAreNoBranches) {
  prompt("one", -1);     // 0
  answer("a", 0);        // 1
  answer("b", 0);        // 2
  mark("hook_stop", 1);  // 3
  prompt("two", 1);      // follows a record that is not the last of its exchange
  prompt("three", 4);
  take_in();
  EXPECT_THAT(abandoned(), IsEmpty());
}

// Codex states how many turns it rolls back, and no record refers to another one.
TEST_F(TurnDag, TurnsTakenBackAreAbandoned) {
  const auto say = [&](const std::string& text) {
    prompt(text, -1);
    records_.back().event->parent_id.reset();
    answer(text + ", done", -1);
    records_.back().event->parent_id.reset();
  };
  const auto take_back = [&](std::int64_t turns) {
    mark("rollback", -1);
    records_.back().event->parent_id.reset();
    records_.back().event->turns_taken_back = turns;
  };
  for (const char* text : {"one", "two", "three"})
    say(text);
  take_back(1);
  take_back(1);
  take_in_singly();
  EXPECT_THAT(abandoned(), ElementsAre("1 for 3", "2 for 3")) << "for the exchange to come";
  EXPECT_EQ(parents(), "0<? 1<? 2<? 3<? 4<? 5<? 6<3 7<1 ");
  for (const char* text : {"four", "five"})
    say(text);
  take_back(7);
  say("six");
  file_ = dir_ / "second.db";
  take_in_singly();
  EXPECT_THAT(abandoned(), ElementsAre("0 for 5", "1 for 5", "2 for 5", "3 for 5", "4 for 5"));
  file_ = dir_ / "whole.db";
  writer_.reset();
  take_in();
  EXPECT_THAT(abandoned(), ElementsAre("0 for 5", "1 for 5", "2 for 5", "3 for 5", "4 for 5"));
}

TEST_F(TurnDag, TwoProcessesThatWriteOneSessionTakeNothingBack) {
  prompt("one", -1);             // 0
  answer("one, done", 0);        // 1
  prompt("two, here", 1);        // 2
  prompt("two, there", 1);       // 3
  answer("two here, done", 2);   // 4
  answer("two there, done", 3);  // 5
  take_in_singly();
  EXPECT_THAT(abandoned(), IsEmpty());
  prompt("three, here", 4);
  file_ = dir_ / "whole.db";
  writer_.reset();
  take_in();
  EXPECT_THAT(abandoned(), IsEmpty());
}

TEST_F(TurnDag, TwoProcessesThatTakeTurnsTakeNothingBack) {
  prompt("one", -1);         // 0
  prompt("two, here", 0);    // 1
  answer("done", 1);         // 2
  prompt("two, there", 0);   // 3
  answer("done, too", 3);    // 4
  prompt("three, here", 2);  // 5
  take_in_singly();
  EXPECT_THAT(abandoned(), ElementsAre("2 for 1")) << "may be a return";
  prompt("three, there", 4);
  file_ = dir_ / "whole.db";
  writer_.reset();
  take_in();
  EXPECT_THAT(abandoned(), IsEmpty());
}

// Claude Code does this with streamed input: each turn writes the whole history again.
TEST_F(TurnDag, AHistoryThatIsWrittenAgainUnderNewIdsIsThereOnce) {
  const std::string one = "one, put in so many words that no short string holds them";
  prompt(one, -1);  // 0
  answer(one + ", done", 0);
  again(0, -1);            // 2
  silent(2);               // 3
  again(1, 3);             // 4
  prompt("two", 4);        // 5
  answer("two, done", 5);  // 6
  again(0, -1);            // 7
  again(1, 7);             // 8
  again(5, 8);             // 9
  again(6, 9);             // 10
  prompt(one, 10);         // 11: the same words at another time
  take_in();
  EXPECT_EQ(parents(), "0<root 1<0 2<1 3<2 4<3 ");
  EXPECT_THAT(rows("SELECT user_message FROM exchanges ORDER BY exchange_number"), ElementsAre(one, "two", one));
  EXPECT_THAT(abandoned(), IsEmpty());
  auto whole = reading();
  const auto want = test::dump_store(whole);
  file_ = dir_ / "singly.db";
  take_in_singly();
  auto singly = reading();
  EXPECT_EQ(test::dump_store(singly), want);
}

TEST_F(TurnDag, AParentThatIsNotThereIsNotGuessed) {
  prompt("one", -1);
  answer("done", 0);
  prompt("two", 1);
  records_.back().event->parent_id = 12345;
  take_in();
  EXPECT_EQ(parents(), "0<root 1<0 2<? ");
  EXPECT_THAT(abandoned(), IsEmpty());
}

TEST_F(TurnDag, WhatIsAbandonedIsNoPartOfTheState) {
  rewind();
  take_in();
  Reader reader(file_);
  const auto past = reader.ask(SessionPastQuery{1, {continuity::BoundaryChoice::At::end, 0}}).value();
  ASSERT_EQ(past.exchanges.size(), 2u);
  EXPECT_EQ(past.exchanges[1].user_message, "two, again");
  ASSERT_EQ(past.events.size(), 5u);
  EXPECT_EQ(past.events[2].seq, 2) << "the mark behind the first answer";
  EXPECT_EQ(past.events[3].seq, 7);
  EXPECT_EQ(past.events[3].exchange, 1u);
}

TEST_F(TurnDag, WhatIsAbandonedIsSaidAndRankedBelow) {
  rewind();
  take_in();
  Reader reader(file_);
  const auto turns = reader.ask(LastExchangesQuery{1, 10}).value();
  ASSERT_EQ(turns.size(), 4u);
  EXPECT_EQ(turns[0].abandoned_for, 0);
  EXPECT_EQ(turns[1].abandoned_for, turns[3].id);
  EXPECT_EQ(turns[2].abandoned_for, turns[3].id);
  EXPECT_EQ(turns[3].abandoned_for, 0);

  SearchQuery query;
  query.asked = search::parse_query("done");
  const auto found = reader.search(query).value();
  ASSERT_EQ(found.hits.size(), 3u);
  EXPECT_EQ(found.hits[0].id, turns[0].id) << "the others have the word as often, and are newer";
  EXPECT_EQ(found.hits[1].abandoned_for, turns[3].id);
}

}  // namespace
}  // namespace memd

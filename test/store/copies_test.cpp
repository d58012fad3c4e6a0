// Sessions that repeat another one under new ids, with the recorded times.
#include "test/support/event_script.hpp"
#include "test/support/writer_fixture.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using test::EventScript;

constexpr const char* kCopy = "claude_code:s2";

class CopiesTest : public test::WriterFixture {
 protected:
  std::string text(const std::string& sql) {
    const auto found = rows(sql.c_str());
    return found.empty() ? "(no row)" : found.front();
  }
  std::string forked_from(const std::string& uid) {
    return text("SELECT forked_from FROM sessions WHERE uid = '" + uid + "'");
  }
  std::string prompts(const std::string& uid) {
    return text(
        "SELECT coalesce(group_concat(user_message, ';'), '') FROM (SELECT user_message FROM exchanges JOIN sessions"
        " USING (session_pk) WHERE uid = '" +
        uid + "' ORDER BY exchange_number)");
  }
};

// `from`: responses are counted by their keys, and a copy has keys of its own.
EventScript two_turns(const std::string& uid, std::uint64_t from) {
  EventScript s(uid);
  s.user("write the parser").call("c1", "Edit", "/w/p/a.go", "/w/p/a.go").result("c1", "done", false, 3, 1);
  s.answer("Written.", from, {1000, 100, 0, 0});
  s.user("add tests").answer("Added.", from + 1, {1000, 100, 0, 0});
  return s;
}

EventScript original() { return two_turns("claude_code:s1", 100); }

EventScript fork() {
  EventScript s = two_turns(kCopy, 200);
  s.user("try another grammar").answer("Tried.", 300, {10, 5, 0, 0});
  return s;
}

EventBatch joined(std::initializer_list<EventScript> scripts) {
  EventBatch all;
  for (const auto& s : scripts)
    all.events.insert(all.events.end(), s.events().begin(), s.events().end());
  return all;
}

TEST_F(CopiesTest, TurnsUnderNewIdsAreTakenInOnce) {
  apply(original().batch());
  apply(fork().batch());
  EXPECT_EQ(prompts("claude_code:s1"), "write the parser;add tests");
  EXPECT_EQ(prompts(kCopy), "try another grammar");
  EXPECT_EQ(forked_from(kCopy), "claude_code:s1");
  EXPECT_EQ(text("SELECT turns || ' ' || (SELECT sum(input) FROM responses r WHERE r.session_pk = sessions.session_pk) "
                 "|| ' ' || tool_calls FROM sessions WHERE uid = 'claude_code:s2'"),
            "1 10 0");
  EXPECT_EQ(text("SELECT sum(output) FROM responses"), "205");
  EXPECT_EQ(text("SELECT sum(lines_added) FROM exchange_files"), "3");
}

TEST_F(CopiesTest, ACopyInTheSameBatchIsFoundBeforeItsOriginHasRows) {
  apply(joined({original(), fork()}));
  EXPECT_EQ(prompts(kCopy), "try another grammar");
  EXPECT_EQ(forked_from(kCopy), "claude_code:s1");
}

TEST_F(CopiesTest, ACopyWithoutTurnsOfItsOwnHasNone) {
  apply(original().batch());
  apply(two_turns(kCopy, 200).batch());
  EXPECT_EQ(prompts(kCopy), "");
  EXPECT_EQ(text("SELECT count(*) FROM events JOIN sessions USING (session_pk) WHERE uid = 'claude_code:s2'"), "0");
  EXPECT_EQ(forked_from(kCopy), "claude_code:s1");
}

// A program that writes a fork may be caught at any record.
TEST_F(CopiesTest, HoweverACopyIsCutItGivesTheSameRows) {
  const EventBatch all = joined({original(), fork()});
  apply(original().batch());
  apply(fork().batch());
  auto at_once = reading();
  const auto expected = test::dump_store(at_once);
  for (std::size_t size = 1; size <= fork().events().size(); ++size) {
    file_ = dir_ / ("cut" + std::to_string(size) + ".db");
    writer_.reset();
    for (std::size_t at = 0; at < all.events.size(); at += size) {
      open();
      EventBatch some;
      for (std::size_t i = at; i < std::min(at + size, all.events.size()); ++i)
        some.events.push_back(all.events[i]);
      apply(std::move(some));
    }
    auto cut = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
    EXPECT_EQ(test::dump_store(cut), expected) << size;
    EXPECT_NO_THROW(test::check_full_text_index(cut));
  }
}

TEST_F(CopiesTest, AForkOfAForkNamesTheNearest) {
  apply(original().batch());
  apply(fork().batch());
  EventScript third = two_turns("claude_code:s3", 400);
  third.user("try another grammar").answer("Tried.", 500, {10, 5, 0, 0});
  third.user("and a third").answer("Here.");
  apply(third.batch());
  EXPECT_EQ(prompts("claude_code:s3"), "and a third");
  EXPECT_EQ(forked_from("claude_code:s3"), kCopy);
  EXPECT_EQ(text("SELECT sum(output) FROM responses"), "205");
}

// Two sessions that were asked the same at the same time, as by a script that starts several agents.
TEST_F(CopiesTest, TheSamePromptIsNoCopy) {
  apply(original().batch());
  EventScript other(kCopy);
  other.user("write the parser").answer("I would rather not.");
  apply(other.batch());
  EXPECT_EQ(prompts(kCopy), "write the parser");
  EXPECT_EQ(forked_from(kCopy), "");
}

TEST_F(CopiesTest, TheSameTalkAtAnotherTimeIsNoCopy) {
  apply(original().batch());
  EventBatch later = two_turns(kCopy, 200).batch();
  for (Event& e : later.events)
    e.time += 86'400'000;
  apply(std::move(later));
  EXPECT_EQ(prompts(kCopy), "write the parser;add tests");
  EXPECT_EQ(forked_from(kCopy), "");
}

// Stamps of whole seconds: a subagent is told the time and place when its parent is.
TEST_F(CopiesTest, WhatBothAreToldWhenASubagentStartsIsNoCopy) {
  const auto told = [](const std::string& uid) {
    EventScript script(uid);
    EventBatch batch = script.user(uid).lifecycle("context").batch();
    Event& context = batch.events.back();
    context.origin = Origin::injected;
    context.id_is_local = true;
    context.time = batch.events.front().time;
    context.input_hash = 1;
    return batch;
  };
  const EventBatch parent = told("claude_code:s1");
  EventBatch child = told("claude_code:s2");
  SessionUpdate& session = child.sessions.emplace_back();
  session.session_uid = "claude_code:s2";
  session.kind = SessionKind::subagent;
  session.parent_uid = "claude_code:s1";
  for (const bool parent_first : {true, false}) {
    file_ = dir_ / (parent_first ? "parent.db" : "child.db");
    open();
    for (const EventBatch& batch : parent_first ? std::vector{parent, child} : std::vector{child, parent})
      apply(batch);
    EXPECT_EQ(text("SELECT count(*) FROM events WHERE input_hash = 1"), "2") << parent_first;
  }
}

// Times that were estimated from a file's time are equal by chance.
TEST_F(CopiesTest, EstimatedTimesShowNoCopy) {
  apply(original().batch());
  EventBatch estimated = two_turns(kCopy, 200).batch();
  for (Event& e : estimated.events)
    e.time_estimated = true;
  apply(std::move(estimated));
  EXPECT_EQ(prompts(kCopy), "write the parser;add tests");
}

TEST_F(CopiesTest, WhatIsRepeatedLaterInASessionIsItsOwn) {
  apply(original().batch());
  EventScript other(kCopy);
  other.user("something else").answer("Done.");
  EventBatch batch = other.batch();
  const EventScript rest = two_turns(kCopy, 200);
  batch.events.insert(batch.events.end(), rest.events().begin() + 4, rest.events().end());
  apply(std::move(batch));
  EXPECT_EQ(prompts(kCopy), "something else;add tests");
  EXPECT_EQ(forked_from(kCopy), "");
}

// The origin may tell itself, and then be read after its fork.
TEST_F(CopiesTest, AForkThatWasReadFirstStaysTheFork) {
  EventBatch first = fork().batch();
  SessionUpdate update;
  update.session_uid = kCopy;
  update.platform = Platform::claude_code;
  update.native_id = "s2";
  update.forked_from = "claude_code:s1";
  first.sessions.push_back(update);
  apply(std::move(first));
  apply(original().batch());
  EXPECT_EQ(forked_from("claude_code:s1"), "");
  EXPECT_EQ(forked_from(kCopy), "claude_code:s1");
  EXPECT_EQ(text("SELECT sum(output) FROM responses"), "205");
}

}  // namespace
}  // namespace memd

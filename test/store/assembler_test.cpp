#include "test/support/event_script.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"
#include "test/support/writer_fixture.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using test::EventScript;

class AssemblerTest : public test::WriterFixture {
 protected:
  std::string text(const std::string& sql) {
    auto db = reading();
    sqlite::Statement q(db.handle(), sql);
    return q.step() ? (q.is_null(0) ? "NULL" : q.str(0)) : "(no row)";
  }
  std::int64_t number(const std::string& sql) { return std::stoll(text(sql)); }
};

EventScript long_session() {
  EventScript s;
  s.user("add a flag").answer("I will look.", 7, {10, 1, 100, 5});
  s.call("c1", "Bash", "go test ./...").result("c1", "FAIL x_test.go:3", true);
  s.answer("Fixing it.", 7, {10, 40, 100, 5});
  s.call("c2", "Edit", "/w/p/a.go", "/w/p/a.go").call("c3", "Bash", "go test ./...");
  s.result("c3", "ok").result("c2", "done", false, 3, 1);
  s.queued("also the docs").intervention("use a flag set");
  s.in("/w/p/sub", "feature").answer("Done.", 8, {1, 2, 3, 4});
  s.user("also the docs").answer("Docs too.");
  s.lifecycle("compaction", "auto");
  s.user("thanks").lifecycle("interrupt");
  return s;
}

TEST_F(AssemblerTest, AnEventWithoutATimeTakesThatOfItsNeighbour) {
  EventScript s;
  s.lifecycle("mode_change", "plan").user("one").lifecycle("mode_change", "normal").answer("done");
  EventBatch batch = s.batch();
  batch.events[0].time = batch.events[2].time = 0;
  const auto in_pieces = batch.events;
  apply(std::move(batch));
  const std::string times =
      "SELECT group_concat((time - (SELECT started_at FROM sessions)) || iif(flags & 256, '?', ''))"
      " FROM (SELECT time, flags FROM events ORDER BY seq)";
  EXPECT_EQ(text(times), "0?,0,0?,2000");
  file_ = dir_ / "pieces.db";
  for (const Event& e : in_pieces) {
    open();
    EventBatch piece;
    piece.events.push_back(e);
    apply(std::move(piece));
  }
  EXPECT_EQ(text(times), "0?,0,0?,2000");
}

TEST_F(AssemblerTest, ExchangesPairsAndDerivedEvents) {
  apply(long_session().batch());
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 3);
  EXPECT_EQ(text("SELECT user_message FROM exchanges WHERE exchange_number = 0"), "add a flag");
  EXPECT_EQ(text("SELECT assistant_response FROM exchanges WHERE exchange_number = 0"),
            "I will look.\n\nFixing it.\n\nDone.");
  EXPECT_EQ(text("SELECT substr(assistant_response, answer_offset + 1) FROM exchanges WHERE exchange_number = 0"),
            "Done.");
  EXPECT_EQ(number("SELECT tool_pairs FROM sessions"), 3);
  EXPECT_EQ(number("SELECT tool_errors FROM sessions"), 1);
  EXPECT_EQ(number("SELECT retries FROM sessions"), 1) << "the same test run again after it failed";
  EXPECT_EQ(number("SELECT compactions FROM sessions"), 1);
  EXPECT_EQ(text("SELECT group_concat(summary, ';') FROM (SELECT summary FROM events WHERE kind = 6 ORDER BY seq)"),
            "failed: Bash: go test ./...;passed: Bash: go test ./...");
  EXPECT_EQ(text("SELECT summary FROM events WHERE kind = 7"), "/w/p/a.go +3 -1");
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE kind = 5"), 1);
  EXPECT_EQ(number("SELECT lines_added FROM exchanges WHERE exchange_number = 0"), 3);
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE summary LIKE 'branch_change: main -> feature'"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE summary LIKE 'cwd_change: %'"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM events e WHERE pair_seq IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events p"
                   " WHERE p.session_pk = e.session_pk AND p.seq = e.pair_seq AND p.pair_seq = e.seq)"),
            0);
}

TEST_F(AssemblerTest, QueuedWordsThatBecomeAPromptWereSaidOnce) {
  apply(long_session().batch());
  EXPECT_EQ(text("SELECT interventions FROM exchanges WHERE exchange_number = 0"), "use a flag set");
  EXPECT_EQ(text("SELECT user_message FROM exchanges WHERE exchange_number = 1"), "also the docs");
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE origin = 5 AND flags & 16"), 1);
}

TEST_F(AssemblerTest, ATagAloneIsNoSummary) {
  EventScript s;
  s.user("<b>\nbold?").answer("<thinking>\nThis is large.\n</thinking>").answer("<b>Done</b>").answer("<thinking>");
  apply(s.batch());
  EXPECT_EQ(text("SELECT group_concat(summary, ';') FROM (SELECT summary FROM events ORDER BY seq)"),
            "<b>;This is large.;<b>Done</b>;<thinking>");
}

TEST_F(AssemblerTest, UsageOfAResponseCountsOnceWithItsLargestOutput) {
  apply(long_session().batch());
  EXPECT_EQ(number("SELECT sum(output) FROM responses"), 42);
  EXPECT_EQ(number("SELECT sum(input) FROM responses"), 11);
  EXPECT_EQ(number("SELECT sum(cache_read) FROM responses WHERE exchange_number = 0"), 103);
}

TEST_F(AssemblerTest, EventByEventAndWithRestartsGivesTheSameRows) { expect_same_event_by_event(long_session()); }

TEST_F(AssemblerTest, ReplayChangesNothing) {
  apply(long_session().batch());
  auto before = reading();
  const auto rows = test::dump_store(before);
  apply(long_session().batch());
  open();
  apply(long_session().batch());
  auto after = reading();
  EXPECT_EQ(rows, test::dump_store(after));
}

TEST_F(AssemblerTest, AForkTakesInOnlyWhatIsItsOwn) {
  const EventScript original = long_session();
  apply(original.batch());
  EventBatch fork = original.batch();
  for (auto& e : fork.events)
    e.session_uid = "claude_code:s2";
  EventScript more("claude_code:s2");
  more.user("and in the fork").answer("Forked.");
  for (const auto& e : more.events())
    fork.events.push_back(e);
  apply(std::move(fork));
  EXPECT_EQ(text("SELECT forked_from FROM sessions WHERE uid = 'claude_code:s2'"), "claude_code:s1");
  EXPECT_EQ(number("SELECT turns FROM sessions WHERE uid = 'claude_code:s2'"), 1);
  EXPECT_EQ(number("SELECT coalesce(sum(output), 0) FROM responses JOIN sessions USING (session_pk) WHERE uid = "
                   "'claude_code:s2'"),
            0);
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 4);
}

TEST_F(AssemblerTest, WorkBeforeAnyPromptIsKeptInAnExchangeWithoutOne) {
  EventScript s;
  s.answer("Going on where we were.").call("c", "Bash", "ls").result("c", "a").user("hello");
  apply(s.batch());
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 2);
  EXPECT_EQ(text("SELECT user_message FROM exchanges WHERE exchange_number = 0"), "NULL");
  EXPECT_EQ(number("SELECT turns FROM sessions"), 1);
}

TEST_F(AssemblerTest, TitleForARecordOfASessionSeenLater) {
  EventBatch early;
  SessionUpdate u;
  u.session_uid = "claude_code:other";
  u.platform = Platform::claude_code;
  u.title = "The flag session";
  u.title_rank = TitleRank::summary;
  u.title_record_key = long_session().events()[1].event_id;
  early.sessions.push_back(u);
  apply(std::move(early));
  open();
  apply(long_session().batch());
  EXPECT_EQ(text("SELECT title FROM sessions WHERE uid = 'claude_code:s1'"), "The flag session");
  EXPECT_EQ(number("SELECT count(*) FROM pending_titles"), 0);
}

TEST_F(AssemblerTest, BetterTitlesWinAndLaterOnesAmongEquals) {
  const auto update = [&](const char* title, TitleRank rank) {
    EventBatch b;
    SessionUpdate u;
    u.session_uid = "claude_code:s1";
    u.title = title;
    u.title_rank = rank;
    b.sessions.push_back(u);
    apply(std::move(b));
  };
  update("by the model", TitleRank::ai);
  update("by the model again", TitleRank::ai);
  EXPECT_EQ(text("SELECT title FROM sessions"), "by the model again");
  update("mine", TitleRank::custom);
  update("by the model once more", TitleRank::ai);
  EXPECT_EQ(text("SELECT title FROM sessions"), "mine");
}

TEST_F(AssemblerTest, SecretsReachNoTable) {
  const std::string secret = "ghp_" + std::string("0123456789abcdefghijABCDEFGHIJ012345");
  EventScript s;
  s.user("use " + secret).answer("Using " + secret + " now.").call("c", "Bash", "curl -H 'token: " + secret + "'");
  s.result("c", "denied for " + secret, true).queued("not " + secret);
  EventBatch batch = s.batch();
  SessionUpdate title;
  title.session_uid = "claude_code:s1";
  title.title = "Session with " + secret;
  title.title_rank = TitleRank::ai;
  batch.sessions.push_back(title);
  apply(std::move(batch));
  ASSERT_TRUE(writer_->optimize());
  const std::string bytes = test::bytes_of(file_);
  EXPECT_GT(bytes.size(), 10'000u);
  EXPECT_EQ(bytes.find(secret), std::string::npos);
  EXPECT_NE(text("SELECT user_message FROM exchanges").find("[redacted:"), std::string::npos);
}

TEST_F(AssemblerTest, WhatAPersonChoseIsAnEventAndAnObservation) {
  EventScript s;
  s.user("which store?").choice("Which store?: SQLite");
  s.answer("I'll use SQLite instead of LMDB because it has full-text search.");
  apply(s.batch());
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE kind = 10"), 1);
  EXPECT_EQ(text("SELECT type || ' ' || content FROM observations"), "decision Which store?: SQLite");
}

TEST_F(AssemblerTest, AnErrorUndoesEverythingSinceTheLastCommit) {
  apply(long_session().batch());
  SourceSlice slice;
  slice.source.platform = Platform::claude_code;
  slice.source.path = "/h/t.jsonl";
  EventScript more("claude_code:s9");
  more.user("lost?");
  slice.batch = more.batch();
  slice.batch.sessions.push_back({});
  slice.batch.sessions.back().session_uid = "no platform";
  EXPECT_FALSE(writer_->apply(slice));
  EXPECT_FALSE(writer_->has_uncommitted());
  EXPECT_EQ(number("SELECT count(*) FROM sessions"), 1);
  apply(more.batch());
  EXPECT_EQ(number("SELECT count(*) FROM sessions"), 2);
}

TEST_F(AssemblerTest, AFloodOfDiagnosticsIsBounded) {
  EventBatch b;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    b.diagnostics.push_back({Platform::claude_code, DiagnosticType::unknown_record_type, Severity::warning, {}, 0, i});
  b.diagnostics.push_back({Platform::claude_code, DiagnosticType::damaged_record, Severity::warning, {}, 0, 5});
  apply(std::move(b));
  EXPECT_LE(number("SELECT count(*) FROM diagnostics"), 100);
  EXPECT_EQ(number("SELECT count(*) FROM diagnostics WHERE error_type = 'damaged_record'"), 1);
}

TEST_F(AssemblerTest, ExpiredDiagnosticsAreDeleted) {
  EventBatch b;
  b.diagnostics.push_back({Platform::claude_code, DiagnosticType::damaged_record, Severity::warning, {}, 0, 17});
  apply(std::move(b));
  EXPECT_EQ(number("SELECT expires_at - time FROM diagnostics"), kDiagnosticRetention);
  clock_.advance(kDiagnosticRetention - 1);
  EXPECT_EQ(*writer_->delete_expired_diagnostics(), 0);
  clock_.advance(1);
  EXPECT_EQ(*writer_->delete_expired_diagnostics(), 1);
  ASSERT_TRUE(writer_->commit());
  EXPECT_EQ(number("SELECT count(*) FROM diagnostics"), 0);
}

}  // namespace
}  // namespace memd

// The figures of a report, over stores written row by row.
#include "store/report/report.hpp"
#include "schemas/base/error.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/reader.hpp"
#include "test/support/store_fixture.hpp"
#include "test/support/time_zone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TimeMs kHour = 3'600'000;
constexpr TimeMs kDay = 1'769'990'400'000;  // 2026-02-02

class ReportTest : public testing::Test {
 protected:
  Report report(const ReportQuery& query = {}) {
    const auto made = Reader(store.file()).ask(query);
    EXPECT_TRUE(made) << made.error().message();
    return made ? *made : Report();
  }
  void set(ExchangeId id, const std::string& columns) {
    store.db().exec(("UPDATE exchanges SET " + columns + " WHERE exchange_pk = " + std::to_string(id)).c_str());
  }
  // Adds a call and its result, paired.
  void call(std::int64_t session, std::string_view tool, bool failed) {
    const auto asked = store.event(session, EventKind::tool_call, tool, "input");
    const auto came = store.event(session, EventKind::tool_result, "", "output");
    auto& pair = store.db().prepare("UPDATE events SET pair_seq = ?3, flags = ?4 WHERE session_pk = ?1 AND seq = ?2");
    pair.bind(session, asked, came, 0).run();
    pair.bind(session, came, asked, failed ? 1 : 0).run();
  }

  StoreFixture store;
};

TEST_F(ReportTest, NoStoreAndAnEmptyOneGiveAnEmptyReport) {
  EXPECT_EQ(Reader("/nonexistent/memd.db").ask(ReportQuery{})->sessions, 0);
  const Report r = report();
  EXPECT_EQ(r.sessions + r.exchanges + r.subagent_sessions, 0);
  EXPECT_THAT(r.activity, IsEmpty());
  EXPECT_THAT(r.newest, IsEmpty());
}

TEST_F(ReportTest, ExchangesAndTokensByDayPlatformAndModel) {
  const auto a = store.session({.native_id = "a", .title = "First"});
  const auto b = store.session({.native_id = "b", .platform = Platform::codex});
  const auto agent = store.session({.native_id = "c", .kind = SessionKind::subagent, .parent_uid = "claude_code:a"});
  set(store.exchange(a, {.user = "one", .answer = "x", .time = kDay + 1000}),
      "model_used = 'opus', tool_calls = 2, tool_errors = 1");
  store.response(a, 0, {5, 7, 100, 0}, kDay + 1000, "opus");
  set(store.exchange(a, {.user = "two", .answer = "x", .time = kDay + kMsPerDay}), "model_used = 'opus'");
  store.response(a, 1, {0, 1, 0, 0}, kDay + kMsPerDay, "opus");
  set(store.exchange(b, {.user = "three", .answer = "x", .time = kDay + 2000}), "model_used = 'gpt', lines_added = 4");
  store.response(b, 0, {0, 30, 0, 0}, kDay + 2000, "gpt");
  set(store.exchange(agent, {.user = "task", .answer = "x", .time = kDay + 3000}), "model_used = 'haiku'");
  store.response(agent, 0, {0, 3, 0, 0}, kDay + 3000, "haiku");

  const Report r = report();
  EXPECT_EQ(r.sessions, 2);
  EXPECT_EQ(r.subagent_sessions, 1);
  EXPECT_EQ(r.exchanges, 3);
  EXPECT_EQ(r.subagent_exchanges, 1);
  EXPECT_EQ(r.tokens, (TokenUsage{5, 41, 100, 0}));
  EXPECT_EQ(r.span.start, kDay + 1000);
  EXPECT_EQ(r.span.end, kDay + kMsPerDay);
  ASSERT_THAT(r.activity, SizeIs(3));
  EXPECT_EQ(r.activity[0].day, kDay);
  EXPECT_EQ(r.activity[0].platform, Platform::claude_code);
  EXPECT_EQ(r.activity[0].sessions, 1) << "a subagent's is none of its own";
  EXPECT_EQ(r.activity[0].exchanges, 1);
  EXPECT_EQ(r.activity[0].subagent_exchanges, 1);
  EXPECT_EQ(r.activity[0].tool_errors, 1);
  EXPECT_EQ(r.activity[1].platform, Platform::codex);
  EXPECT_EQ(r.activity[1].lines_added, 4);
  EXPECT_EQ(r.activity[2].day, kDay + kMsPerDay);
  ASSERT_THAT(r.usage, SizeIs(4));
  TokenUsage sum;
  for (const auto& u : r.usage)
    sum += u.tokens;
  EXPECT_EQ(sum, r.tokens);
  EXPECT_EQ(r.usage[1].model, "opus");
  EXPECT_EQ(r.usage[1].tokens.cache_read, 100);
}

TEST_F(ReportTest, DaysAreOfTheTimeZone) {
  const ScopedTimeZone tokyo("Asia/Tokyo");
  if (!tokyo.known()) GTEST_SKIP() << "no zones here";
  const auto a = store.session({.native_id = "a", .start = kDay + 16 * kHour});
  store.exchange(a, {.user = "before midnight", .answer = "x", .time = kDay + 14 * kHour});
  store.exchange(a, {.user = "behind it", .answer = "x", .time = kDay + 16 * kHour});
  store.response(a, 1, {0, 1, 0, 0}, kDay + 16 * kHour, "m");
  const Report r = report();
  ASSERT_THAT(r.activity, SizeIs(2));
  EXPECT_EQ(r.activity[0].day, kDay);
  EXPECT_EQ(r.activity[1].day, kDay + kMsPerDay);
  EXPECT_EQ(r.usage.back().day, kDay + kMsPerDay);
  EXPECT_EQ(r.usage.back().tokens.output, 1);
}

TEST_F(ReportTest, TimeAndProjectSelect) {
  const auto a = store.session({.native_id = "a", .project = "/w/parcel", .start = kDay});
  const auto b = store.session({.native_id = "b", .project = "/w/atlas"});
  store.exchange(a, {.user = "old", .answer = "x", .files = {"/w/parcel/old.py"}, .time = kDay});
  call(a, "Read", false);
  store.exchange(a, {.user = "new", .answer = "x", .files = {"/w/parcel/new.py"}, .time = kDay + 5 * kMsPerDay});
  call(a, "Edit", true);
  store.exchange(b, {.user = "other", .answer = "x", .time = kDay + 5 * kMsPerDay});

  ReportQuery query;
  query.filter.project = "parcel";
  query.filter.since = kDay + kMsPerDay;
  const Report r = report(query);
  EXPECT_EQ(r.sessions, 1);
  EXPECT_EQ(r.exchanges, 1);
  ASSERT_THAT(r.files, SizeIs(1));
  EXPECT_EQ(r.files[0].path, "/w/parcel/new.py");
  EXPECT_EQ(r.files[0].project, "parcel");
  ASSERT_THAT(r.tools, SizeIs(1));
  EXPECT_EQ(r.tools[0].tool, "Edit");
  EXPECT_EQ(r.tools[0].errors, 1);
  ASSERT_THAT(r.newest, SizeIs(1));
  EXPECT_EQ(r.newest[0].goal, "new") << "of the time asked for";
  EXPECT_THAT(r.newest[0].turns, SizeIs(1));

  query.filter.since = 0;
  query.filter.until = kDay + 1;
  EXPECT_EQ(report(query).exchanges, 1);
  query.filter.session = "nothing-like-this";
  EXPECT_TRUE(Reader(store.file()).ask(query).error().is(Errc::not_found));
}

TEST_F(ReportTest, ErrorsAreOfTheCallThatHadThem) {
  const auto a = store.session({.native_id = "a"});
  store.exchange(a, {.user = "go", .answer = "x"});
  call(a, "Bash", true);
  call(a, "Bash", false);
  call(a, "Read", false);
  store.event(a, EventKind::tool_call, "Bash", "never answered");
  const Report r = report();
  ASSERT_THAT(r.tools, SizeIs(2));
  EXPECT_EQ(r.tools[0].tool, "Bash");
  EXPECT_EQ(r.tools[0].calls, 3);
  EXPECT_EQ(r.tools[0].answered, 2);
  EXPECT_EQ(r.tools[0].errors, 1);
  EXPECT_EQ(r.tools[1].errors, 0);
}

TEST_F(ReportTest, ASessionIsToldByItsFirstPromptLastAnswerAndDecisions) {
  const auto a = store.session({.native_id = "a"});
  store.exchange(a, {.user = "Why is it slow?\nLook first.", .answer = "It waits."});
  store.db().exec(
      "INSERT INTO observations (observation_pk, session_pk, exchange_number, time, type, summary, content, "
      "content_hash)"
      " VALUES (1, 1, 0, 1, 'decision', 'Which store?: a cache', '', 1)");
  store.db().exec("INSERT INTO decisions (observation_pk, kind, decided_by) VALUES (1, 3, 0)");
  store.event(a, EventKind::test_run, "Bash", "passed: Bash: go test ./a");
  store.event(a, EventKind::test_run, "Bash", "failed: Bash: go test ./b");
  store.event(a, EventKind::test_run, "Bash", "unknown: Bash: go test ./c");
  set(store.exchange(a, {.user = "Then do it.", .answer = "On it. Done: it is fast now.", .files = {"/w/a.go"}}),
      "answer_offset = 7");
  const Report r = report();
  ASSERT_THAT(r.newest, SizeIs(1));
  const ReportSession& s = r.newest[0];
  EXPECT_EQ(s.goal, "Why is it slow?\nLook first.");
  EXPECT_EQ(s.last_said, "Done: it is fast now.");
  EXPECT_THAT(s.decisions, ElementsAre("Which store?: a cache"));
  EXPECT_EQ(s.test_runs, 3);
  EXPECT_EQ(s.test_failures, 1);
  EXPECT_EQ(s.tests_unknown, 1);
  EXPECT_EQ(r.tests_unknown, 1);
  EXPECT_EQ(s.files_total, 1);
  ASSERT_THAT(s.turns, SizeIs(2));
  EXPECT_EQ(s.turns[0].line, "Why is it slow?");
}

TEST_F(ReportTest, ALongAnswerIsCutBetweenCharacters) {
  const auto a = store.session({.native_id = "a"});
  store.exchange(a, {.user = "What came of it?", .answer = "Another answer."});
  std::string answer;
  while (answer.size() < 2000)
    answer += "答";
  store.exchange(a, {.user = "And now?", .answer = answer});
  EXPECT_EQ(report().newest.at(0).last_said, answer.substr(0, 798));
}

TEST_F(ReportTest, OlderSessionsAreInTheFiguresOnly) {
  for (int i = 0; i < 5; ++i) {
    const auto s = store.session({.native_id = "s" + std::to_string(i), .start = kDay + i * kMsPerDay});
    store.exchange(s, {.user = "u", .answer = "a"});
  }
  ReportQuery query;
  query.detailed_sessions = 2;
  std::vector<double> told;
  query.progress = [&](double done, double total) { told.push_back(done / total); };
  const auto r = Reader(store.file()).ask(query);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->sessions, 5);
  EXPECT_EQ(r->exchanges, 5);
  ASSERT_THAT(r->newest, SizeIs(2));
  EXPECT_EQ(r->newest[0].session.native_id, "s4");
  EXPECT_THAT(told, ElementsAre(0.0));
}

TEST_F(ReportTest, WhatHasNoTimeIsOnNoDayAndInTheSums) {
  const auto a = store.session({.native_id = "a", .start = 0});
  const auto id = store.exchange(a, {.user = "u", .answer = "a"});
  set(id, "started_at = 0");
  store.response(a, 0, {0, 9, 0, 0}, 0);
  const Report r = report();
  EXPECT_EQ(r.undated_exchanges, 1);
  EXPECT_EQ(r.tokens.output, 9);
  ASSERT_THAT(r.activity, SizeIs(1));
  EXPECT_EQ(r.activity[0].day, 0);
  ReportQuery before;  // an exchange without a time is in no range
  before.filter.until = kDay;
  EXPECT_EQ(report(before).exchanges, 0);
}

TEST_F(ReportTest, TopicsByDayAndCostsAsThePlatformReckons) {
  const auto a = store.session({.native_id = "a", .platform = Platform::cursor, .start = kDay});
  for (const TimeMs time : {kDay, kDay + 1000, kDay + kMsPerDay}) {
    const std::vector<TopicMention> mentions{{"token bucket", 0.9, "bucket token"}};
    topics::save(store.db(), store.exchange(a, {.user = "u", .answer = "a", .time = time}), mentions);
  }
  store.response(a, 0, {0, 1, 0, 0}, kDay, "cheap");
  store.response(a, 2, {0, 1, 0, 0}, kDay + kMsPerDay, "dear");
  store.db().exec("UPDATE responses SET cost_usd = CASE WHEN exchange_number = 0 THEN 0.25 ELSE 2 END");
  const Report r = report();
  ASSERT_THAT(r.topics, SizeIs(1));
  EXPECT_EQ(r.topics[0].topic, "token bucket");
  ASSERT_THAT(r.topic_days, SizeIs(2));
  EXPECT_EQ(r.topic_days[0].exchanges, 2);
  EXPECT_EQ(r.topic_days[1].day, kDay + kMsPerDay);
  EXPECT_THAT(r.newest.at(0).topics, ElementsAre("token bucket"));
  EXPECT_EQ(r.sessions_with_cost, 1);
  ASSERT_THAT(r.usage, SizeIs(4)) << "a day's turns do not name a model here";
  EXPECT_EQ(r.usage[1].model, "cheap");
  EXPECT_EQ(r.usage[1].cost_usd, 0.25);
  EXPECT_EQ(r.usage[3].day, kDay + kMsPerDay);
  EXPECT_EQ(r.usage[3].cost_usd, 2);
  EXPECT_EQ(r.newest.at(0).cost_usd, 2.25);
  ReportQuery next_day;  // the session began before
  next_day.filter.since = kDay + kMsPerDay;
  EXPECT_EQ(report(next_day).sessions, 1);
  EXPECT_EQ(report(next_day).sessions_with_cost, 1);
  EXPECT_EQ(report(next_day).newest.at(0).cost_usd, 2);
}

TEST_F(ReportTest, CoverageIsOfThePlatformsAskedFor) {
  store.ledger(store.source(Platform::claude_code, "/a.jsonl", 100, 100), "user", Disposition::indexed, 100);
  store.ledger(store.source(Platform::codex, "/b.jsonl", 50, 40), "x", Disposition::unknown, 40);
  EXPECT_THAT(report().totals, SizeIs(2));
  ReportQuery query;
  query.filter.platforms = {Platform::codex};
  const Report r = report(query);
  ASSERT_THAT(r.totals, SizeIs(1));
  EXPECT_EQ(r.totals[0].bytes_unknown, 40u);
  ASSERT_THAT(r.ledger, SizeIs(1));
  ASSERT_THAT(r.freshness, SizeIs(1));
  EXPECT_EQ(r.freshness[0].bytes_behind, 10);
}

}  // namespace
}  // namespace memd::test

// What the ledger of responses says of made-up homes whose right figures are known.
#include "store/read/usage.hpp"
#include "daemon/interchange/session_walk.hpp"
#include "store/read/ingestion.hpp"
#include "store/read/sessions.hpp"
#include "store/report/report.hpp"
#include "test/daemon/codex_ingest.hpp"
#include "test/support/corpus_store.hpp"
#include "test/support/time_zone.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace memd {
namespace {

// Every table of memd has the same total.
void expect_one_total(sqlite::Database& db) {
  const TokenUsage total = UsageQuery{{}, UsageBy::day, {}}.run(db).total.tokens;
  for (const UsageBy by :
       {UsageBy::day, UsageBy::week, UsageBy::month, UsageBy::block, UsageBy::model, UsageBy::day_model,
        UsageBy::platform, UsageBy::project, UsageBy::branch, UsageBy::session}) {
    const UsageAnswer answer = UsageQuery{{}, by, {}}.run(db);
    TokenUsage sum;
    for (const UsageRow& row : answer.rows)
      sum += row.tokens;
    EXPECT_EQ(sum, total) << to_string(by);
    EXPECT_EQ(answer.total.tokens, total) << to_string(by);
  }
  TokenUsage of_platforms;
  for (const PlatformTotals& platform : PlatformTotalsQuery{}.run(db))
    of_platforms += platform.tokens;
  EXPECT_EQ(of_platforms, total);
  const Report report = ReportQuery{}.run(db);
  EXPECT_EQ(report.tokens, total);
  TokenUsage of_days;
  for (const DayUsage& day : report.usage)
    of_days += day.tokens;
  EXPECT_EQ(of_days, total);
  TokenUsage of_sessions;
  SessionListQuery all{{}, 1'000'000, 0};
  all.placeholders = true;
  for (const SessionRow& session : all.run(db).sessions) {
    of_sessions += session.cost.tokens;
    of_sessions += session.account_tokens;
  }
  EXPECT_EQ(of_sessions, total);
}

// Writes a transcript of Claude Code.
class ClaudeLog {
 public:
  struct Answer {
    std::string id = "msg_1";
    std::string request;
    std::string model = "claude-opus-4-6";
    std::string stop = R"("end_turn")";
    std::string more;  // of the usage
    std::string text = "ok";
    std::string uuid;
  };

  explicit ClaudeLog(std::string session, std::string project = "-w-p")
      : session_(std::move(session)), project_(std::move(project)) {}

  ClaudeLog& user(const std::string& time, const std::string& text) {
    return line(head("user", "u" + time, time) + R"("message":{"role":"user","content":")" + text + R"("}})");
  }
  ClaudeLog& answer(const std::string& time, int input, int output, const Answer& a) {
    return line(head("assistant", a.uuid.empty() ? "a" + time : a.uuid, time) + message(input, output, a) + "}");
  }
  // An answer of a subagent that stands only in its parent's records of progress.
  ClaudeLog& progress(const std::string& time, int input, int output, const Answer& a) {
    return line(head("progress", "p" + time, time) +
                R"("toolUseID":"t","parentToolUseID":"toolu_1","data":{"type":"agent_progress","agentId":"abc1234",)"
                R"("prompt":"count","message":)" +
                head("assistant", "pa" + time, time) + message(input, output, a) + "}}}");
  }
  ClaudeLog& line(const std::string& text) {
    text_ += text + "\n";
    return *this;
  }
  ClaudeLog& cost_state(const std::string& from, int milliseconds, const std::string& model, int input, int output,
                        const std::string& cost) {
    return line(R"({"type":"cost-state","sessionId":")" + session_ + R"(","totalCostUSD":)" + cost +
                R"(,"totalDuration":)" + std::to_string(milliseconds) + R"(,"startTime":)" +
                std::to_string(*parse_rfc3339(from)) + R"(,"modelUsage":{")" + model + R"(":{"inputTokens":)" +
                std::to_string(input) + R"(,"outputTokens":)" + std::to_string(output) +
                R"(,"thinkingTokens":0,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,)"
                R"("cacheCreationEphemeral1hInputTokens":0,"webSearchRequests":0,"costUSD":)" +
                cost + "}}}");
  }

  std::string path() const { return ".claude/projects/" + project_ + "/" + session_ + ".jsonl"; }
  std::string text_;

 private:
  std::string head(const std::string& type, const std::string& uuid, const std::string& time) const {
    return R"({"type":")" + type + R"(","uuid":")" + session_.substr(30) + uuid +
           R"(","parentUuid":null,"sessionId":")" + session_ + R"(","cwd":"/w/p","version":"2.1.40","timestamp":")" +
           time + R"(","isSidechain":false,)";
  }
  static std::string message(int input, int output, const Answer& a) {
    return R"("message":{"id":")" + a.id + R"(","type":"message","role":"assistant","model":")" + a.model +
           R"(","content":[{"type":"text","text":")" + a.text + R"("}],"stop_reason":)" + a.stop +
           R"(,"usage":{"input_tokens":)" + std::to_string(input) + R"(,"output_tokens":)" + std::to_string(output) +
           a.more + "}}" + (a.request.empty() ? "" : R"(,"requestId":")" + a.request + R"(")");
  }
  std::string session_;
  std::string project_;
};

std::string session_id(int n) { return "aaaaaaaa-0000-4000-8000-00000000000" + std::to_string(n); }

class UsageOfHomes : public test::CodexIngestFixture {
 protected:
  void write(const ClaudeLog& t) { test::write_file(home_ / t.path(), t.text_); }
  using CodexIngestFixture::write;

  sqlite::Database& db() {
    if (!db_) {
      ingest();
      db_.emplace(sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only));
      expect_one_total(*db_);
    }
    return *db_;
  }
  UsageAnswer usage(UsageBy by, const QueryFilter& filter = {}) { return UsageQuery{filter, by, {}}.run(db()); }
  // "key input/output", a row each. Cached tokens are part of the input.
  std::string told(UsageBy by, const QueryFilter& filter = {}) {
    std::string out;
    for (const UsageRow& row : usage(by, filter).rows)
      out += (out.empty() ? "" : "; ") + row.key + " " + figures(row);
    return out;
  }
  static std::string figures(const UsageRow& row) {
    return (row.unfinished > 0 ? ">=" : "") + std::to_string(row.tokens.prompt()) + "/" +
           std::to_string(row.tokens.output);
  }
  std::string total() { return figures(usage(UsageBy::day).total); }

  std::optional<sqlite::Database> db_;
};

// F3. A turn over midnight, of two models.
TEST_F(UsageOfHomes, AResponseIsOfItsOwnDayAndModel) {
  const test::ScopedTimeZone utc("UTC");
  ClaudeLog t(session_id(1));
  t.user("2026-02-01T23:50:00.000Z", "Work through the night")
      .answer("2026-02-01T23:55:00.000Z", 100, 10, {.request = "req_1"})
      .answer("2026-02-02T03:00:00.000Z", 900'000, 5'000,
              {.id = "msg_2", .request = "req_2", .model = "claude-haiku-4-5"});
  write(t);
  EXPECT_EQ(told(UsageBy::day), "2026-02-01 100/10; 2026-02-02 900000/5000");
  EXPECT_EQ(told(UsageBy::model), "claude-haiku-4-5 900000/5000; claude-opus-4-6 100/10");
  EXPECT_EQ(told(UsageBy::day_model), "2026-02-01 claude-opus-4-6 100/10; 2026-02-02 claude-haiku-4-5 900000/5000");
  QueryFilter since;
  since.since = *parse_rfc3339("2026-02-02T00:00:00Z");
  EXPECT_EQ(told(UsageBy::day, since), "2026-02-02 900000/5000");
  EXPECT_EQ(told(UsageBy::week), "2026-W05 100/10; 2026-W06 900000/5000");
  EXPECT_EQ(told(UsageBy::month), "2026-02 900100/5010");
  EXPECT_EQ(told(UsageBy::block), "2026-02-01T23:00:00.000Z 900100/5010");
}

TEST_F(UsageOfHomes, DaysAreLocal) {
  const test::ScopedTimeZone zone("Europe/Vienna");
  if (!zone.known()) GTEST_SKIP() << "no zones here";
  ClaudeLog t(session_id(1));
  // Clocks go forward at 01:00 UTC on 29 March.
  t.user("2026-03-28T22:00:00.000Z", "Go")
      .answer("2026-03-28T22:59:00.000Z", 1, 1, {.id = "a", .request = "1"})
      .answer("2026-03-28T23:30:00.000Z", 2, 1, {.id = "b", .request = "2"})
      .answer("2026-03-29T21:59:00.000Z", 4, 1, {.id = "c", .request = "3"})
      .answer("2026-03-29T22:01:00.000Z", 8, 1, {.id = "d", .request = "4"});
  write(t);
  EXPECT_EQ(told(UsageBy::day), "2026-03-28 1/1; 2026-03-29 6/2; 2026-03-30 8/1");
}

// F1, and the facts that decide a price.
TEST_F(UsageOfHomes, TheHourTierSpeedAndSearchesAreKept) {
  ClaudeLog t(session_id(1));
  t.user("2026-02-01T10:00:00.000Z", "Hi")
      .answer(
          "2026-02-01T10:01:00.000Z", 0, 7,
          {.request = "req_1",
           .more = R"(,"cache_creation_input_tokens":1000000,"cache_read_input_tokens":5,"service_tier":"priority",)"
                   R"("speed":"fast","server_tool_use":{"web_search_requests":3,"web_fetch_requests":0},)"
                   R"("cache_creation":{"ephemeral_5m_input_tokens":250000,"ephemeral_1h_input_tokens":750000})"});
  write(t);
  std::vector<ResponseRow> rows;
  for_each_response(db(), {}, [&](const ResponseRow& r) { rows.push_back(r); });
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].tokens, (TokenUsage{0, 7, 5, 1'000'000, 750'000, 0}));
  EXPECT_EQ(rows[0].facts.tier, ServiceTier::priority);
  EXPECT_TRUE(rows[0].facts.is_fast);
  EXPECT_TRUE(rows[0].facts.is_finished);
  EXPECT_EQ(rows[0].facts.web_searches, 3);
}

// F2.
TEST_F(UsageOfHomes, WhatOnlyTheAgentsAccountKnowsIsShownAsSuch) {
  ClaudeLog t(session_id(1));
  t.user("2026-11-01T10:00:00.000Z", "Hi")
      .answer("2026-11-01T10:01:00.000Z", 1'000, 100, {.request = "req_1"})
      .cost_state("2026-11-01T10:00:00.000Z", 9'000, "claude-opus-4-6[1m]", 50'000, 100, "0.25")
      .cost_state("2026-11-01T10:00:00.000Z", 90'000, "claude-opus-4-6[1m]", 101'000, 100, "0.5075");
  write(t);
  const UsageAnswer answer = usage(UsageBy::model);
  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_EQ(figures(answer.total), "101000/100");
  EXPECT_EQ(answer.total.account_tokens, (TokenUsage{100'000, 0, 0, 0}));
  EXPECT_EQ(answer.total.responses, 1);
  EXPECT_NEAR(answer.total.agent_cost_usd.value_or(0), 0.5075, 1e-9);
  EXPECT_EQ(text("SELECT count(*) FROM session_accounts"), "1");
}

// A process that resumed a session goes on with its account, or begins a new one.
TEST_F(UsageOfHomes, AccountsOfAResumedSession) {
  ClaudeLog anew(session_id(1));
  anew.user("2026-11-01T10:00:00.000Z", "Hi")
      .cost_state("2026-11-01T10:00:00.000Z", 1'000, "m", 100, 10, "0.1")
      .cost_state("2026-11-02T10:00:00.000Z", 1'000, "m", 50, 5, "0.05");
  write(anew);
  ClaudeLog on(session_id(2));
  on.user("2026-11-01T10:00:00.000Z", "Hi")
      .cost_state("2026-11-01T10:00:00.000Z", 1'000, "m", 1'000, 10, "1")
      .cost_state("2026-11-02T10:00:00.000Z", 1'000, "m", 1'500, 15, "1.5");
  write(on);
  EXPECT_EQ(told(UsageBy::session),
            "claude_code:" + session_id(2) + " 1500/15; claude_code:" + session_id(1) + " 150/15");
}

// F4.
TEST_F(UsageOfHomes, ASessionIncludesItsSubagents) {
  ClaudeLog t(session_id(8));
  t.user("2026-02-01T10:00:00.000Z", "Delegate")
      .answer("2026-02-01T10:01:00.000Z", 10, 5, {.request = "req_1"})
      .progress("2026-02-01T10:02:00.000Z", 7'000, 3, {.id = "msg_9", .request = "req_9", .model = "claude-haiku-4-5"})
      .answer("2026-02-01T10:03:00.000Z", 10, 5, {.id = "msg_2", .request = "req_2"});
  write(t);
  EXPECT_EQ(told(UsageBy::session), "claude_code:" + session_id(8) + " 7020/13");
  EXPECT_EQ(usage(UsageBy::session).rows[0].subagent_tokens, (TokenUsage{7'000, 3, 0, 0}));
  SessionListQuery main_only{{}, 10, 0};
  main_only.filter.include_subagents = false;
  const SessionList list = main_only.run(db());
  ASSERT_EQ(list.sessions.size(), 1U);
  EXPECT_EQ(list.sessions[0].cost.tokens, (TokenUsage{20, 10, 0, 0}));
  EXPECT_EQ(list.sessions[0].all_tokens(), (TokenUsage{7'020, 13, 0, 0}));
  QueryFilter one;
  one.session = session_id(8);
  EXPECT_EQ(figures(usage(UsageBy::day, one).total), "7020/13");
}

TEST_F(UsageOfHomes, ASessionIncludesTheAccountsOfItsSubagents) {
  for (const char* golden : {"last_generation", "subagent"})
    std::filesystem::copy(test::source_dir() / "test/golden/vibe" / golden / "home", home_.path(),
                          std::filesystem::copy_options::recursive);
  SessionListQuery one{{}, 10, 0};
  one.filter.session = "7b0c2d4e-0000-4000-8000-000000000001";
  const SessionList list = one.run(db());
  ASSERT_EQ(list.sessions.size(), 1U);
  EXPECT_EQ(list.sessions[0].account_tokens, (TokenUsage{1'800, 90, 600, 0}));
  EXPECT_EQ(list.sessions[0].subagent_tokens, (TokenUsage{90, 8, 10, 0}));
}

// F5. Ids of a server that numbers its responses anew.
TEST_F(UsageOfHomes, AnIdThatRepeatsInAnotherSessionIsAnotherResponse) {
  for (const int n : {5, 6}) {
    ClaudeLog t(session_id(n));
    const std::string day = "2026-02-0" + std::to_string(n);
    t.user(day + "T10:00:00.000Z", "Hi")
        .answer(day + "T10:01:00.000Z", n == 5 ? 200 : 300, 5, {.id = "msg_000001"})
        .answer(day + "T10:01:01.000Z", n == 5 ? 200 : 300, 5, {.id = "msg_000001"});
    write(t);
  }
  EXPECT_EQ(total(), "500/10");
}

TEST_F(UsageOfHomes, AnIdThatRepeatsInItsSessionIsAnotherResponse) {
  ClaudeLog t(session_id(5));
  t.user("2026-02-05T10:00:00.000Z", "Hi")
      .answer("2026-02-05T10:01:00.000Z", 200, 1, {.id = "msg_1"})
      .answer("2026-02-05T10:01:02.000Z", 200, 5, {.id = "msg_1"})
      .answer("2026-02-05T10:02:00.000Z", 240, 5, {.id = "msg_1"})
      .user("2026-02-05T12:00:00.000Z", "More")
      .answer("2026-02-05T12:01:00.000Z", 200, 5, {.id = "msg_1"});
  write(t);
  EXPECT_EQ(total(), "640/15");
}

// A copy by a fork or a resume has the times and figures of the original, under ids of its own.
TEST_F(UsageOfHomes, ACopyOfSuchAResponseIsNone) {
  for (const int n : {5, 6}) {
    ClaudeLog t(session_id(n));
    t.user("2026-02-05T10:00:00.000Z", "Hi")
        .answer("2026-02-05T10:01:00.000Z", 200, 5, {.id = "msg_000001"})
        .answer("2026-02-05T10:01:01.000Z", 200, 9, {.id = "msg_000001"});
    if (n == 6) t.answer("2026-02-06T10:01:01.000Z", 260, 1, {.id = "msg_000001"});
    write(t);
  }
  EXPECT_EQ(total(), "460/10");
}

TEST_F(UsageOfHomes, RecordsWithAndWithoutTheRequestAreOneResponse) {
  const auto records = [](ClaudeLog& t, bool first, bool second) {
    t.user("2026-02-01T10:00:00.000Z", "Hi")
        .answer("2026-02-01T10:01:00.000Z", 1'000, 5, {.request = first ? "req_1" : "", .stop = "null"})
        .answer("2026-02-01T10:01:05.000Z", 1'000, 50, {.request = second ? "req_1" : ""});
  };
  ClaudeLog first(session_id(1));
  records(first, false, true);
  write(first);
  ClaudeLog copy(session_id(2));
  records(copy, false, true);
  write(copy);
  EXPECT_EQ(total(), "1000/50");
}

TEST_F(UsageOfHomes, TheRequestMayBeMissingInALaterRecord) {
  ClaudeLog t(session_id(1));
  t.user("2026-02-01T10:00:00.000Z", "Hi")
      .answer("2026-02-01T10:01:00.000Z", 1'000, 5, {.request = "req_1", .stop = "null"})
      .answer("2026-02-01T10:01:05.000Z", 1'000, 50, {});
  write(t);
  EXPECT_EQ(total(), "1000/50");
}

// F6.
TEST_F(UsageOfHomes, AResponseThatNeverEndedIsALowerBound) {
  ClaudeLog t(session_id(1));
  t.user("2026-02-01T10:00:00.000Z", "Write an essay")
      .answer("2026-02-01T10:01:00.000Z", 1'000, 1, {.request = "req_1", .stop = "null", .text = std::string(500, 'x')})
      .answer("2026-02-01T10:02:00.000Z", 10, 1, {.id = "msg_2", .request = "req_2", .stop = "null"})
      .answer("2026-02-01T10:02:01.000Z", 10, 9, {.id = "msg_2", .request = "req_2", .stop = R"("tool_use")"});
  write(t);
  EXPECT_EQ(total(), ">=1010/10");
  EXPECT_EQ(usage(UsageBy::day).total.unfinished, 1);
}

// F7.
TEST_F(UsageOfHomes, UsageBeforeTheFirstPromptIsInEveryTable) {
  ClaudeLog t(session_id(1));
  t.answer("2026-02-01T10:01:00.000Z", 70'000, 4, {.request = "req_1", .text = "\\n"})
      .user("2026-02-01T10:02:00.000Z", "Hello")
      .answer("2026-02-01T10:03:00.000Z", 10, 10, {.id = "msg_2", .request = "req_2"});
  write(t);
  EXPECT_EQ(total(), "70010/14");
}

// F8.
TEST_F(UsageOfHomes, ALaterRecordOfEqualOutputKeepsTheLargerPrompt) {
  ClaudeLog t(session_id(1));
  t.user("2026-02-01T10:00:00.000Z", "Hi")
      .answer("2026-02-01T10:01:00.000Z", 0, 5, {.request = "req_1"})
      .answer("2026-02-01T10:01:05.000Z", 1'000, 5, {.request = "req_1"});
  write(t);
  EXPECT_EQ(total(), "1000/5");
}

test::Rollout& count(test::Rollout& r, double seconds, int total, int last, const std::string& limits = "null") {
  const auto usage = [](int n) {
    return R"({"input_tokens":)" + std::to_string(n) + R"(,"cached_input_tokens":)" + std::to_string(n / 2) +
           R"(,"output_tokens":)" + std::to_string(n / 100) + R"(,"reasoning_output_tokens":)" +
           std::to_string(n / 200) + R"(,"total_tokens":)" + std::to_string(n + n / 100) + "}";
  };
  return r.line(seconds, "event_msg",
                R"({"type":"token_count","info":{"total_token_usage":)" + usage(total) + R"(,"last_token_usage":)" +
                    usage(last) + R"(},"rate_limits":)" + limits + "}");
}
test::Rollout& context(test::Rollout& r, double seconds) {
  return r.line(seconds, "turn_context", R"({"cwd":"/w/app","approval_policy":"never","model":"gpt-5.2-codex"})");
}
test::Rollout& prompt(test::Rollout& r, double seconds, const std::string& text) {
  return r.line(seconds, "event_msg", R"({"type":"user_message","message":")" + text + R"(","images":[]})");
}
test::Rollout& said(test::Rollout& r, double seconds, const std::string& text) {
  return r.line(seconds, "event_msg", R"({"type":"agent_message","message":")" + text + R"("})");
}

// A fork and a subagent replay the history that they begin with, at new times and sometimes without its model.
TEST_F(UsageOfHomes, WhatAForkOrASubagentReplaysIsNotCounted) {
  test::Rollout origin(1);
  count(said(context(prompt(origin, 1, "Hi"), 1.1), 3, "ok"), 3.1, 10'000, 10'000);
  test::Rollout fork(2, R"(,"forked_from_id":")" + test::thread(1) + R"(")", 86'400);
  fork.meta(0, 1);
  count(said(context(prompt(fork, 86'400, "Hi"), 86'400.001), 86'400.002, "ok"), 86'400.003, 10'000, 10'000);
  count(said(context(prompt(fork, 86'460, "Another way"), 86'460.1), 86'463, "ok"), 86'463.1, 40'000, 30'000);
  test::Rollout agent(3,
                      R"(,"thread_source":"subagent","parent_thread_id":")" + test::thread(1) +
                          R"(","agent_nickname":"Ada","agent_role":"worker")",
                      5);
  agent.meta(0, 1);
  count(said(context(prompt(agent, 5, "Hi"), 5.001), 5.002, "ok"), 5.003, 10'000, 10'000);
  count(said(context(prompt(agent, 6, "Count lines"), 6.1), 8, "three"), 8.1, 12'000, 2'000);
  write({&origin, &fork, &agent});
  EXPECT_EQ(total(), "42000/420");
  EXPECT_EQ(told(UsageBy::model), "gpt-5.2-codex 42000/420");
  EXPECT_EQ(usage(UsageBy::day).total.tokens.reasoning, 210);
}

TEST_F(UsageOfHomes, TheNewestReportOfALimitIsKept) {
  test::Rollout r(1);
  const auto limits = [](const std::string& five_hours) {
    return R"({"primary":{"used_percent":)" + five_hours +
           R"(,"window_minutes":300,"resets_at":1772622000},)"
           R"("secondary":{"used_percent":28.0,"window_minutes":10080,"resets_at":1773000000},"credits":null})";
  };
  prompt(r, 1, "Hi");
  count(r, 2, 1'000, 1'000, limits("6.0"));
  count(r, 3, 2'000, 1'000, limits("9.5"));
  write({&r});
  const auto known = RateLimitQuery{}.run(db());
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].platform, Platform::codex);
  EXPECT_EQ(known[0].used_percent, 9.5);
  EXPECT_EQ(known[0].window_minutes, 300);
  EXPECT_EQ(known[0].resets_at, 1'772'622'000'000);
  EXPECT_EQ(known[0].reported_at, test::kCodexStart + 3'000);
  EXPECT_EQ(known[1].window_minutes, 10'080);
}

// Reading in slices gives the ledger of one reading.
TEST_F(UsageOfHomes, SlicesGiveTheSameLedger) {
  ClaudeLog t(session_id(1));
  t.user("2026-02-01T10:00:00.000Z", "Hi")
      .answer("2026-02-01T10:01:00.000Z", 1'000, 5, {.stop = "null"})
      .answer("2026-02-01T10:01:01.000Z", 1'000, 7, {.request = "req_1", .stop = "null"})
      .answer("2026-02-01T10:01:02.000Z", 1'000, 9, {})
      .user("2026-02-01T11:00:00.000Z", "More")
      .answer("2026-02-01T11:01:00.000Z", 1'200, 5, {.id = "msg_2"});
  write(t);
  EXPECT_EQ(total(), "2200/14");
  const test::TempDir sliced;
  IngestOptions line_by_line;
  line_by_line.tailer.slice_bytes = 300;
  line_by_line.commit_bytes = 1;
  ingest(home_.path(), sliced / "memd.db", line_by_line);
  auto other = sqlite::Database::open(sliced / "memd.db", sqlite::OpenMode::read_only);
  const auto rows = [](sqlite::Database& from) {
    std::vector<std::string> out;
    sqlite::Statement q(from.handle(),
                        "SELECT exchange_number || ' ' || response_key || ' ' || time || ' ' || input || ' ' || output"
                        " || ' ' || flags FROM responses");
    while (q.step())
      out.push_back(q.str(0));
    return out;
  };
  EXPECT_EQ(rows(other), rows(db()));
}

// Responses of several records, some without the request, in turns, subagents and copies of whole sessions.
TEST_F(UsageOfHomes, RandomHomesCountEachResponseOnce) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    const test::TempDir home;
    const test::TempDir store;
    TokenUsage expected;
    for (int n = 1; n <= 4; ++n) {
      ClaudeLog t(session_id(n));
      int minute = 0;
      const auto now = [&](int second) {
        return format_rfc3339(*parse_rfc3339("2026-03-0" + std::to_string(n) + "T10:00:00Z") + minute * 60'000 +
                              second * 1000);
      };
      for (int response = 0; response < 12; ++response) {
        minute += 1 + below(90);
        if (response == 0 || below(3) == 0) t.user(now(0), "prompt " + std::to_string(response));
        const bool named = below(2) == 0;  // else a server that numbers its responses anew in each session
        const int input = 100 * (response + 1) + below(50);
        const int records = 1 + below(3);
        const bool helper = below(4) == 0;
        int output = 1 + below(20);
        for (int record = 0; record < records; ++record) {
          output += below(10);
          const ClaudeLog::Answer answer{.id = (named ? session_id(n) : "msg_") + std::to_string(response),
                                         .request = named && (record > 0 || below(2) == 0) ? "req" : "",
                                         .text = "text " + std::to_string(record)};
          helper ? t.progress(now(1 + record), input, output, answer)
                 : t.answer(now(1 + record), input, output, answer);
        }
        expected += TokenUsage{input, output, 0, 0};
      }
      test::write_file(home / t.path(), t.text_);
    }
    ingest(home.path(), store / "memd.db", {});
    auto db = sqlite::Database::open(store / "memd.db", sqlite::OpenMode::read_only);
    expect_one_total(db);
    EXPECT_EQ((UsageQuery{{}, UsageBy::model, {}}.run(db).total.tokens), expected);
  }
}

class UsageOfCorpus : public test::CorpusStore {};

TEST_F(UsageOfCorpus, EveryTableHasOneTotal) {
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  expect_one_total(db);
}

}  // namespace
}  // namespace memd

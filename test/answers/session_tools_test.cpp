#include "test/support/time_zone.hpp"
#include "test/support/tool_fixture.hpp"

#include <set>

namespace memd::test {
namespace {

class SessionTools : public ToolFixture {
 protected:
  SessionTools() {
    old = store.session({.native_id = "aaaa1111", .title = "Parser work", .start = kNow - 5 * kMsPerDay});
    fresh = store.session(
        {.native_id = "bbbb2222", .title = "Release", .project = "/home/u/site", .start = kNow - kMsPerDay});
    old_ids = fill(old, "tokenizer", 24);
    fresh_ids = fill(fresh, "deployment", 3);
    agent = store.session({.native_id = "cccc3333",
                           .title = "Look around",
                           .project = "/home/u/site",
                           .kind = SessionKind::subagent,
                           .parent_uid = "claude_code:bbbb2222",
                           .start = kNow - kMsPerDay});
  }
  std::int64_t old = 0, fresh = 0, agent = 0;
  std::vector<ExchangeId> old_ids, fresh_ids;
};

TEST_F(SessionTools, RecentTurnsOfTheNewestSession) {
  const auto a = call("recent_turns", "{}");
  EXPECT_EQ(str(a.at("session_id")), "claude_code:bbbb2222");
  EXPECT_EQ(str(a.at("session_name")), "Release");
  EXPECT_EQ(str(a.at("platform")), "claude_code");
  EXPECT_EQ(str(a.at("data_completeness")), "full");
  EXPECT_EQ(a.at("exchanges_summarized").as_int64(), 3);
  EXPECT_TRUE(has(str(a.at("summary")), "deployment"));
  EXPECT_LT(str(a.at("time_range").at("start")), str(a.at("time_range").at("end")));
  ASSERT_EQ(a.at("turns").as_array().size(), 3U);
  EXPECT_EQ(str(a.at("turns").at(0).at("exchange_id")), format_exchange_id(fresh_ids[0]));
  EXPECT_FALSE(a.contains("next"));
  for (const ExchangeId id : fresh_ids)
    EXPECT_TRUE(has(text, format_exchange_id(id)));
}

TEST_F(SessionTools, RecentTurnsOfAProjectOrAReference) {
  EXPECT_EQ(str(call("recent_turns", R"({"project":"app"})").at("session_id")), "claude_code:aaaa1111");
  EXPECT_EQ(str(call("recent_turns", R"({"session_id":"aaaa"})").at("session_id")), "claude_code:aaaa1111");
  EXPECT_EQ(str(call("recent_turns", R"({"session_id":"claude_code:aaaa1111"})").at("session_id")),
            "claude_code:aaaa1111");
  EXPECT_TRUE(has(error("recent_turns", R"({"session_id":"nosuch"})"), "nosuch"));
}

TEST_F(SessionTools, AProjectsNameGoesBeforeAPartOfAPath) {
  fill(store.session({.native_id = "dddd4444", .title = "Newer", .project = "/home/app-users/tool", .start = kNow}),
       "tool", 1);
  for (const char* tool : {"recent_turns", "session_summary"})
    EXPECT_EQ(str(call(tool, R"({"project":"app"})").at("session_id")), "claude_code:aaaa1111") << tool;
  const auto listed = call("list_sessions", R"({"project":"app"})").at("sessions").as_array();
  EXPECT_TRUE(std::ranges::none_of(listed, [](const auto& s) { return s.at("session_name") == "Newer"; }));
  fill(store.session({.native_id = "eeee5555", .title = "Clone", .project = "/home/v/app", .start = kNow}), "clone", 1);
  const std::string several = error("recent_turns", R"({"project":"app"})");
  EXPECT_TRUE(has(several, "fits 2 projects")) << several;
  EXPECT_TRUE(has(several, "v/app")) << several;
}

TEST_F(SessionTools, AMissingSessionIsToldTogetherWithWhatIsStillToBeRead) {
  freshness.rows.front().sources_behind = 109;
  EXPECT_TRUE(has(error("recent_turns", R"({"session_id":"ffffffff"})"), "109 sources to go"));
  EXPECT_TRUE(has(error("get_exchange", R"({"session_id":"ffffffff","exchange_number":0})"), "ask again"));
  freshness.rows.front().sources_behind = 0;
  EXPECT_FALSE(has(error("recent_turns", R"({"session_id":"ffffffff"})"), "ask again"));
}

TEST_F(SessionTools, BriefIsShorter) {
  const auto detailed =
      str(call("recent_turns", R"({"session_id":"aaaa","n_turns":10,"max_tokens":4000})").at("summary"));
  const auto brief = str(
      call("recent_turns", R"({"session_id":"aaaa","n_turns":10,"max_tokens":4000,"style":"brief"})").at("summary"));
  EXPECT_LT(brief.size() * 2, detailed.size());
  for (const auto& [style, ratio] : {std::pair("detailed", 0.30), std::pair("brief", 0.10)}) {
    const auto a =
        call("recent_turns",
             std::string(R"({"session_id":"aaaa","n_turns":20,"max_tokens":8000,"style":")") + style + "\"}");
    const double source = a.at("source_tokens").to_number<double>();
    EXPECT_LE(a.at("summary_tokens").to_number<double>(), source * ratio + 1) << style;
    EXPECT_GE(a.at("summary_tokens").to_number<double>(), source * ratio * 0.8) << style;
    EXPECT_FALSE(has(str(a.at("notice")), "max_tokens"));
  }
  std::string answer;
  for (int i = 0; i < 200; ++i)
    answer += "The stage " + std::to_string(i) + " failed because its input was read twice. ";
  store.exchange(store.session({.native_id = "eeee5555", .start = kNow}), {.user = "What failed?", .answer = answer});
  EXPECT_TRUE(has(str(call("recent_turns", R"({"session_id":"eeee","max_tokens":600})").at("notice")),
                  "max_tokens, not the style"));
}

TEST_F(SessionTools, OlderTurnsFollowAndNoneTwice) {
  std::vector<std::string> seen;
  for (const auto& page : pages("recent_turns", R"({"session_id":"aaaa","n_turns":7,"max_tokens":900})")) {
    EXPECT_LE(page.at("est_tokens").as_int64(), 900);
    std::vector<std::string> ids;
    for (const auto& t : page.at("turns").as_array())
      ids.push_back(str(t.at("exchange_id")));
    EXPECT_EQ(page.at("exchanges_summarized").as_int64(), static_cast<std::int64_t>(ids.size()));
    seen.insert(seen.begin(), ids.begin(), ids.end());
  }
  std::vector<std::string> expected;
  for (const ExchangeId id : old_ids)
    expected.push_back(format_exchange_id(id));
  EXPECT_EQ(seen, expected);
}

TEST_F(SessionTools, SessionWithoutTextsIsDescribed) {
  const auto s = store.session({.native_id = "dddd4444", .title = "Only a name", .start = kNow});
  store.exchange(s, {});
  store.db().exec("UPDATE exchanges SET data_completeness = 2 WHERE user_message = ''");
  const auto a = call("recent_turns", R"({"session_id":"dddd4444"})");
  EXPECT_EQ(str(a.at("data_completeness")), "metadata_only");
  EXPECT_TRUE(has(str(a.at("summary")), "Only a name"));
}

TEST_F(SessionTools, ListHasTheFieldsOfTheContract) {
  store.db().exec(
      "UPDATE sessions SET cwd = '/home/u/site', git_branch = 'main', model = 'm-1', retries = 3, outcome = 1,"
      " outcome_signs = 17, analysis_version = 1, analyzed_at = 1, tool_calls"
      " = 7, tool_errors = 2, compactions = 1 WHERE native_id = 'bbbb2222'");
  store.response(fresh, 0, {10, 20, 30, 40}, 1);
  const auto a = call("list_sessions", "{}");
  EXPECT_EQ(a.at("total").as_int64(), 2);
  const auto& s = a.at("sessions").at(0).as_object();
  EXPECT_EQ(str(s.at("session_id")), "claude_code:bbbb2222");
  EXPECT_EQ(str(s.at("session_name")), "Release");
  EXPECT_EQ(str(s.at("project")), "site");
  EXPECT_EQ(str(s.at("cwd")), "/home/u/site");
  EXPECT_EQ(str(s.at("git_branch")), "main");
  EXPECT_EQ(str(s.at("model")), "m-1");
  EXPECT_EQ(str(s.at("state")), "stopped");
  EXPECT_EQ(str(s.at("outcome")), "success");
  EXPECT_EQ(boost::json::serialize(s.at("outcome_reasons")), R"(["tests_passed","answered"])");
  EXPECT_TRUE(has(text, "success (tests_passed, answered)"));
  EXPECT_EQ(s.at("exchanges").as_int64(), 3);
  EXPECT_EQ(s.at("tool_calls").as_int64(), 7);
  EXPECT_EQ(s.at("tool_errors").as_int64(), 2);
  EXPECT_EQ(s.at("compactions").as_int64(), 1);
  EXPECT_EQ(s.at("retries").as_int64(), 3);
  EXPECT_EQ(s.at("wall_clock_s").as_int64(), 3);
  EXPECT_EQ(str(s.at("ended_at")), str(s.at("last_event_at")));
  EXPECT_TRUE(has(text, ", 3 retries"));
  EXPECT_EQ(s.at("tokens_input").as_int64(), 10);
  EXPECT_EQ(s.at("tokens_output").as_int64(), 20);
  EXPECT_EQ(s.at("tokens_cache_read").as_int64(), 30);
  EXPECT_EQ(s.at("tokens_cache_creation").as_int64(), 40);
  EXPECT_FALSE(s.contains("parent_session_id"));
  EXPECT_TRUE(has(text, "claude_code:aaaa1111"));
  EXPECT_TRUE(has(text, "cached 30+40"));
}

// Facts that an agent reports about a whole session are in the answers about it, if known.
TEST_F(SessionTools, WhatASessionTookAndWasAbout) {
  for (const char* tool : {"list_sessions", "session_summary"}) {
    const auto facts = [&] {
      const auto answer = call(tool, R"({"project":"site"})");
      return std::string_view(tool) == "list_sessions" ? answer.at("sessions").at(0).as_object() : answer;
    };
    store.db().exec(
        "UPDATE sessions SET description = '', mode = '', cost_usd = NULL, context_tokens = 0, lines_added = 0,"
        " lines_removed = 0, retries = 2");
    const auto bare = facts();
    for (const char* absent : {"description", "mode", "lines_added", "lines_removed", "cost_usd", "context_tokens"})
      EXPECT_FALSE(bare.contains(absent)) << tool << absent;
    EXPECT_EQ(bare.at("retries").as_int64(), 2) << tool;
    EXPECT_EQ(bare.at("wall_clock_s").as_int64(), 3) << tool;
    store.db().exec(
        "UPDATE sessions SET description = 'Ship it', mode = 'agent', cost_usd = 0.123456, context_tokens = 12000,"
        " lines_added = 40, lines_removed = 3");
    const auto told = facts();
    EXPECT_EQ(str(told.at("description")), "Ship it") << tool;
    EXPECT_EQ(str(told.at("mode")), "agent") << tool;
    EXPECT_EQ(told.at("lines_added").as_int64(), 40) << tool;
    EXPECT_EQ(told.at("lines_removed").as_int64(), 3) << tool;
    EXPECT_EQ(told.at("cost_usd").to_number<double>(), 0.1235) << tool;
    EXPECT_EQ(told.at("context_tokens").as_int64(), 12000) << tool;
    EXPECT_TRUE(has(text, "3 s, 2 retries, lines +40 -3, $0.1235, mode agent, context 12000 tokens")) << text;
    EXPECT_TRUE(has(text, "Ship it")) << text;
  }
}

TEST_F(SessionTools, LinesAreThoseOfTheEditsWhereTheAgentCountsNone) {
  store.exchange(store.session({.native_id = "dddd4444", .project = "/home/u/edits"}),
                 {.user = "Edit.", .answer = "Done.", .tools = {}, .interventions = {}, .files = {"/a", "/b"}});
  store.db().exec("UPDATE exchange_files SET lines_added = 5, lines_removed = 1");
  const auto a = call("list_sessions", R"({"project":"edits"})");
  EXPECT_EQ(a.at("sessions").at(0).at("lines_added").as_int64(), 10);
  EXPECT_EQ(a.at("sessions").at(0).at("lines_removed").as_int64(), 2);
}

// A session without a title is named by its first informative prompt.
TEST_F(SessionTools, NamesAreNotCommandsOfTheClient) {
  const auto name_of = [&](const std::string& native_id, const std::vector<std::pair<std::string, Origin>>& prompts) {
    const auto session = store.session({.native_id = native_id, .project = "/home/u/" + native_id});
    for (const auto& [prompt, origin] : prompts) {
      const auto id =
          store.exchange(session, {.user = prompt, .answer = "Yes.", .tools = {}, .interventions = {}, .files = {}});
      store.db()
          .prepare("UPDATE exchanges SET origin = ?2 WHERE exchange_pk = ?1")
          .bind(id, static_cast<int>(origin))
          .run();
    }
    const auto a = call("list_sessions", R"({"project":")" + native_id + "\"}");
    return str(a.at("sessions").at(0).at("session_name"));
  };
  const std::string clear = "/clear";
  const std::string review = "/review the parser";
  EXPECT_EQ(name_of("names-1", {{clear, Origin::command}, {"Rename the parser's files", Origin::typed}}),
            "Rename the parser's files");
  EXPECT_EQ(name_of("names-2", {{"continue", Origin::typed}, {"Rename the parser's files", Origin::typed}}),
            "Rename the parser's files");
  EXPECT_EQ(name_of("names-3", {{review, Origin::command}, {"Rename the parser's files", Origin::typed}}),
            "/review the parser");
  EXPECT_EQ(name_of("names-4", {{clear, Origin::command}, {"go on", Origin::typed}}), "/clear") << "none tells more";
}

TEST_F(SessionTools, SubagentsOnRequest) {
  const auto a = call("list_sessions", R"({"include_subagents":true})");
  EXPECT_EQ(a.at("total").as_int64(), 3);
  std::string parent;
  for (const auto& s : a.at("sessions").as_array())
    if (str(s.at("session_id")) == "claude_code:cccc3333") parent = str(s.at("parent_session_id"));
  EXPECT_EQ(parent, "claude_code:bbbb2222");
}

TEST_F(SessionTools, ListPagesWithinMaxTokensHoweverManyRowsWereAskedFor) {
  for (int i = 0; i < 60; ++i)
    store.session({.native_id = "eeee" + std::to_string(1000 + i),
                   .title = "Session " + std::to_string(i),
                   .start = kNow - i * 60'000});
  const auto one = call("list_sessions", "{}");
  EXPECT_LE(one.at("est_tokens").as_int64(), 2000);
  EXPECT_TRUE(one.contains("next"));
  const auto many = call("list_sessions", R"({"n_results":1000})");
  EXPECT_LE(many.at("est_tokens").as_int64(), 2000);
  EXPECT_TRUE(many.contains("next"));
  EXPECT_EQ(call("list_sessions", R"({"n_results":3})").at("sessions").as_array().size(), 3U);
  EXPECT_LE(call("list_sessions", R"({"n_results":1000,"max_tokens":3000})").at("est_tokens").as_int64(), 3000);
  std::set<std::string> seen;
  std::size_t rows = 0;
  for (const auto& page : pages("list_sessions", R"({"max_tokens":1500})"))
    for (const auto& s : page.at("sessions").as_array())
      seen.insert(str(s.at("session_id"))), ++rows;
  EXPECT_EQ(rows, 62U);
  EXPECT_EQ(seen.size(), 62U);
}

TEST_F(SessionTools, TemporalQueryTellsDayByDay) {
  const auto a = call("temporal_query", R"({"since":"7d","max_tokens":4000})");
  EXPECT_EQ(a.at("total_exchanges").as_int64(), 27);
  EXPECT_EQ(a.at("total_sessions").as_int64(), 2);
  EXPECT_EQ(str(a.at("time_range").at("since")), "2026-02-02T06:00:00.000Z");
  EXPECT_EQ(str(a.at("time_range").at("until")), "2026-02-09T06:00:00.000Z");
  EXPECT_EQ(boost::json::serialize(a.at("platform_breakdown")), R"({"claude_code":27})");
  const std::string summary = str(a.at("summary"));
  EXPECT_LT(summary.find("2026-02-04"), summary.find("2026-02-08"));
  EXPECT_TRUE(has(summary, "\"Parser work\", " + format_exchange_id(old_ids[0]) + "\n"));
  EXPECT_TRUE(
      has(text, "\"Parser work\", " + format_exchange_id(old_ids[0]) + ": 24 turns in app  claude_code:aaaa1111\n"));
  ASSERT_EQ(a.at("sessions").as_array().size(), 2U);
  const auto& s = a.at("sessions").at(0).as_object();
  EXPECT_EQ(str(s.at("session_id")), "claude_code:aaaa1111");
  EXPECT_EQ(str(s.at("session_name")), "Parser work");
  EXPECT_EQ(s.at("exchange_count").as_int64(), 24);
  EXPECT_LT(str(s.at("time_range").at("start")), str(s.at("time_range").at("end")));
  EXPECT_TRUE(has(text, "claude_code:aaaa1111"));
  // The first and last prompt of the day, and the result.
  EXPECT_TRUE(has(summary,
                  "  asked: Please change the tokenizer so that case 0 works.\n"
                  "  at last: Please change the tokenizer so that case 23 works.\n"))
      << summary;
  EXPECT_TRUE(has(summary, "  ended: The case 23 failed because")) << summary;
}

TEST_F(SessionTools, DaysAndTimesAreThoseOfTheTimeZone) {
  EXPECT_FALSE(call("temporal_query", R"({"since":"7d"})").contains("time_zone"));
  EXPECT_TRUE(has(text, "Times are UTC. Text from history"));
  const auto s =
      store.session({.native_id = "eeee4444", .title = "Late", .start = *parse_rfc3339("2026-02-05T14:57:00Z")});
  for (int i = 0; i < 2; ++i)  // ten minutes apart: 23:58 and 00:08 in Tokyo
    store.exchange(s, {.user = "Late work", .answer = "Done.", .tools = {}, .interventions = {}, .files = {}});
  store.db()
      .prepare(
          "UPDATE exchanges SET started_at = ?, ended_at = started_at WHERE session_pk = ? AND exchange_number = 1")
      .bind(*parse_rfc3339("2026-02-05T15:08:00Z"), s)
      .run();
  const ScopedTimeZone tokyo("Asia/Tokyo");
  if (!tokyo.known()) GTEST_SKIP() << "no zones here";
  const auto day = call("temporal_query", R"({"since":"2026-02-05","until":"2026-02-05"})");
  EXPECT_EQ(str(day.at("time_zone")), "Asia/Tokyo (UTC+09:00)");
  EXPECT_EQ(str(day.at("time_range").at("since")), "2026-02-04T15:00:00.000Z");
  EXPECT_TRUE(has(str(day.at("summary")), "- 23:58 to 23:58 \"Late\"")) << str(day.at("summary"));
  EXPECT_TRUE(has(text, "Times are Asia/Tokyo (UTC+09:00). "));
  const auto both = call("temporal_query", R"({"since":"2026-02-05","until":"2026-02-06","max_tokens":4000})");
  EXPECT_TRUE(has(str(both.at("summary")), "2026-02-06\n- 00:08 to 00:08 \"Late\"")) << str(both.at("summary"));
  EXPECT_TRUE(has(text, "- 23:58 to 23:58 \"Late\", ")) << text;
  EXPECT_TRUE(parse_rfc3339(str(both.at("sessions").at(0).at("time_range").at("start")))) << "fields are UTC";
}

TEST_F(SessionTools, TemporalPagesCountEveryExchangeOnce) {
  for (int i = 0; i < 40; ++i) {
    const auto s = store.session({.native_id = "ffff" + std::to_string(1000 + i),
                                  .title = "Day " + std::to_string(i),
                                  .start = kNow - (i % 6) * kMsPerDay - i * 1000});
    fill(s, "garden", 1 + i % 3);
  }
  std::int64_t counted = 0;
  std::int64_t total = 0;
  for (const auto& page : pages("temporal_query", R"({"since":"2026-02-01","until":"2026-02-10","max_tokens":1000})")) {
    EXPECT_LE(page.at("est_tokens").as_int64(), 1000);
    total = page.at("total_exchanges").as_int64();
    for (const auto& s : page.at("sessions").as_array())
      counted += s.at("exchange_count").as_int64();
  }
  EXPECT_EQ(counted, total);
  EXPECT_GT(total, 80);
}

TEST_F(SessionTools, TemporalQueryOfNothingSaysSo) {
  const auto a = call("temporal_query", R"({"since":"2020-01-01","until":"2020-02-01"})");
  EXPECT_EQ(a.at("total_exchanges").as_int64(), 0);
  EXPECT_EQ(str(a.at("summary")), "Nothing in this time.");
  EXPECT_TRUE(has(error("temporal_query", "{}"), "since"));
}

}  // namespace
}  // namespace memd::test

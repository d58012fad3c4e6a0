// memd usage, the status line, and what agents are told: sums of the ledger with the prices of models.
#include "daemon/usage/usage_report.hpp"

#include "daemon/cli/render/usage.hpp"
#include "daemon/usage/statusline.hpp"
#include "schemas/base/time.hpp"
#include "store/reader.hpp"
#include "test/support/time_zone.hpp"
#include "test/support/tool_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace memd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using usage::UsageReport;
using usage::UsageRowOut;

constexpr TimeMs kHour = 3'600'000;

TimeMs at(const char* time) { return *parse_rfc3339(time); }

class Usage : public ToolFixture {
 protected:
  UsageReport usage(UsageBy by, const QueryFilter& filter = {}) {
    Reader reader(store.file());
    auto report = usage::usage_report(reader, {filter, by}, prices);
    EXPECT_TRUE(report) << (report ? "" : report.error().message());
    return report ? *report : UsageReport();
  }
  static std::vector<std::string> keys(const UsageReport& report) {
    std::vector<std::string> out;
    for (const UsageRowOut& row : report.rows)
      out.push_back(row.key);
    return out;
  }
  // As on a terminal of this width.
  std::string shown(const UsageReport& report, std::size_t columns, std::size_t left_out = 0) {
    cli::Look look;
    look.is_terminal = true;
    look.columns = columns;
    look.now = kNow;
    cli::KeptLines kept;
    cli::Screen screen(look, kept);
    show(screen, report, left_out);
    EXPECT_TRUE(screen.finish());
    std::string out;
    for (const cli::Line& line : kept.lines) {
      EXPECT_LE(line.columns(), columns);
      for (const auto& piece : line.pieces())
        out += piece.text;
      out += "\n";
    }
    return out;
  }
  std::string line(const usage::StatuslineInput& input, TimeMs now = kNow,
                   usage::StatuslineStyle style = usage::StatuslineStyle::plain) {
    Reader reader(store.file());
    const auto figures = usage::statusline_figures(reader, input, prices, now);
    EXPECT_TRUE(figures);
    return usage::statusline_text(input, figures ? *figures : usage::StatuslineFigures(), style, now);
  }

  usage::PriceTable prices;
};

TEST_F(Usage, PricesSingleResponsesByTheirOwnDayAndSize) {
  const auto session = store.session({.native_id = "aaaa1111"});
  store.response(session, -1, {100'000, 10'000}, at("2026-08-20T12:00:00Z"), "gpt-5.6-sol");
  store.response(session, -1, {100'000, 10'000}, at("2026-08-21T12:00:00Z"), "gpt-5.6-sol");
  store.response(session, -1, {300'000, 0}, at("2026-08-21T12:00:00Z"), "gpt-5.6-sol");
  const UsageReport report = usage(UsageBy::model);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(*report.rows[0].cost_usd, 0.8 + 0.6 + 2.4);
  EXPECT_EQ(report.rows[0].responses, 3);
}

TEST_F(Usage, SaysWhatHasNoPriceBesideEverySum) {
  const auto session = store.session({.native_id = "aaaa1111"});
  store.response(session, -1, {1000, 10}, kNow, "claude-opus-4-6");
  store.response(session, -1, {2000, 20}, kNow, "my-own-model");
  const UsageReport by_model = usage(UsageBy::model);
  EXPECT_FALSE(by_model.rows[0].cost_usd) << "never 0";
  EXPECT_EQ(by_model.rows[0].unpriced_tokens, 2020);
  const UsageReport report = usage(UsageBy::day);
  EXPECT_DOUBLE_EQ(*report.totals.cost_usd, (5.0 * 1000 + 25.0 * 10) / 1e6);
  EXPECT_EQ(report.totals.unpriced_tokens, 2020);
  EXPECT_THAT(shown(report, 80), HasSubstr("2.0k tokens have no known price"));
}

TEST_F(Usage, HasATableForEachQuestionWithOneTotal) {
  const auto app = store.session({.native_id = "aaaa1111", .title = "Parser", .project = "app"});
  const auto tool = store.session({.native_id = "bbbb2222", .platform = Platform::codex, .project = "tool"});
  store.response(app, -1, {1000, 10}, at("2026-01-31T12:00:00Z"), "claude-opus-4-6");
  store.response(app, -1, {500, 10}, at("2026-02-02T03:00:00Z"), "claude-haiku-4-5");
  store.response(tool, -1, {2000, 20}, at("2026-02-02T12:00:00Z"), "gpt-5");
  EXPECT_THAT(keys(usage(UsageBy::day)), ElementsAre("2026-01-31", "2026-02-02"));
  EXPECT_THAT(keys(usage(UsageBy::week)), ElementsAre("2026-W05", "2026-W06"));
  EXPECT_THAT(keys(usage(UsageBy::month)), ElementsAre("2026-01", "2026-02"));
  EXPECT_THAT(keys(usage(UsageBy::model)), ElementsAre("gpt-5", "claude-opus-4-6", "claude-haiku-4-5"));
  EXPECT_THAT(keys(usage(UsageBy::platform)), ElementsAre("codex", "claude_code"));
  EXPECT_THAT(keys(usage(UsageBy::project)), ElementsAre("tool", "app"));
  EXPECT_EQ(usage(UsageBy::day_model).rows.size(), 3U);
  EXPECT_EQ(usage(UsageBy::session).rows.size(), 2U);
  EXPECT_EQ(usage(UsageBy::block).rows.size(), 3U);
  const UsageRowOut total = usage(UsageBy::day).totals;
  for (const UsageBy by :
       {UsageBy::day, UsageBy::week, UsageBy::month, UsageBy::block, UsageBy::model, UsageBy::day_model,
        UsageBy::platform, UsageBy::project, UsageBy::branch, UsageBy::session}) {
    const UsageReport report = usage(by);
    double cost = 0;
    std::int64_t tokens = 0;
    for (const UsageRowOut& row : report.rows) {
      cost += row.cost_usd.value_or(0);
      tokens += row.tokens();
    }
    EXPECT_NEAR(cost, *total.cost_usd, 1e-12) << to_string(by);
    EXPECT_EQ(tokens, total.tokens()) << to_string(by);
    EXPECT_EQ(report.totals.tokens(), total.tokens()) << to_string(by);
    EXPECT_EQ(report.by, to_string(by));
  }
}

TEST_F(Usage, ADayOnWhichTheClocksChangeIsOneDay) {
  const ScopedTimeZone berlin("Europe/Berlin");
  if (!berlin.known()) GTEST_SKIP() << "no zones here";
  const auto session = store.session({.native_id = "aaaa1111"});
  store.response(session, -1, {1, 0}, at("2026-03-28T22:59:59Z"), "gpt-5");  // 23:59:59 on the day before
  store.response(session, -1, {10, 0}, at("2026-03-28T23:00:00Z"), "gpt-5");
  store.response(session, -1, {100, 0}, at("2026-03-29T21:59:59Z"), "gpt-5");  // 23:59:59 in summer
  store.response(session, -1, {1000, 0}, at("2026-03-29T22:00:00Z"), "gpt-5");
  const UsageReport report = usage(UsageBy::day);
  EXPECT_THAT(keys(report), ElementsAre("2026-03-28", "2026-03-29", "2026-03-30"));
  EXPECT_EQ(report.rows[1].input_tokens, 110);
  EXPECT_EQ(report.rows[1].date, "2026-03-29");
  EXPECT_THAT(report.time_zone, HasSubstr("Europe/Berlin"));
}

TEST_F(Usage, FitsTheTerminal) {
  const auto session = store.session({.native_id = "aaaa1111", .title = "A title that is rather long for a table"});
  for (int day = 0; day < 5; ++day)
    store.response(session, -1, {123'456'789, 1'234'567, 987'654'321, 12'345'678, 2'345'678, 999},
                   kNow - day * kMsPerDay, "claude-opus-4-6");
  for (const UsageBy by : {UsageBy::day, UsageBy::session, UsageBy::day_model})
    for (const std::size_t columns : {80U, 160U})
      shown(usage(by), columns);  // checks the width
  EXPECT_THAT(shown(usage(UsageBy::session), 80), HasSubstr("A title that is rather"));
  EXPECT_THAT(shown(usage(UsageBy::day), 80), HasSubstr("█"));
  EXPECT_THAT(shown(usage(UsageBy::day), 80, 3), HasSubstr("3 rows more in the total"));
  EXPECT_THAT(shown(usage(UsageBy::day), 160), HasSubstr("REASONING"));
  EXPECT_THAT(shown(UsageReport(), 80), HasSubstr("No tokens are recorded"));
}

TEST_F(Usage, IsToldToAgents) {
  const auto session = store.session({.native_id = "aaaa1111", .project = "app"});
  store.response(session, -1, {1000, 10}, kNow - kMsPerDay, "claude-opus-4-6");
  store.response(session, -1, {2000, 20}, kNow, "gpt-99");
  const auto answer = call("list_sessions", R"({"usage":"day"})");
  const auto& rows = answer.at("usage").as_array();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("key").as_string(), "total");
  EXPECT_EQ(rows[1].at("key").as_string(), "2026-02-09") << "newest first";
  EXPECT_EQ(rows[1].at("unpriced_tokens").as_int64(), 2020);
  EXPECT_FALSE(rows[1].as_object().contains("cost_usd"));
  EXPECT_DOUBLE_EQ(rows[2].at("cost_usd").as_double(), 0.00525);
  EXPECT_THAT(text, HasSubstr("2026-02-08: tokens in 1000 out 10"));
  EXPECT_THAT(error("list_sessions", R"({"usage":"year"})"), HasSubstr("usage: send day, week"));
  EXPECT_FALSE(call("list_sessions", "{}").contains("usage"));
}

TEST(StatuslineInput, IsReadAsClaudeCodeWritesIt) {
  const auto input = usage::parse_statusline_input(
      R"({"session_id":"aaaa1111","model":{"id":"claude-opus-5-5","display_name":"Opus 5.5"},"cwd":"/w/p",)"
      R"("cost":{"total_cost_usd":1.25},"context_window":{"context_window_size":200000,"used_percentage":42.4,)"
      R"("current_usage":{"input_tokens":1000,"cache_creation_input_tokens":3000,"cache_read_input_tokens":80000}},)"
      R"("rate_limits":{"five_hour":{"used_percentage":37.5,"resets_at":1770620400},)"
      R"("seven_day":{"used_percentage":8,"resets_at":1771000000}}})");
  ASSERT_TRUE(input);
  EXPECT_EQ(usage::statusline_text(*input, {}, usage::StatuslineStyle::plain, kNow),
            "Opus 5.5 · 84k/200k 42% · 5 h 38% · 7 d 8% · session $1.25");
}

TEST(StatuslineInput, MayBeAnything) {
  for (const char* json :
       {"", "null", "[]", "{", "\"x\"", "\xff\xfe", "{\"session_id\":", "{}",
        R"({"session_id":7,"model":[1],"cost":"x"})", R"({"model":null,"context_window":[],"rate_limits":7})",
        R"({"model":"m","cost":{"total_cost_usd":1e400}})",
        R"({"context_window":{"used_percentage":1e300,"context_window_size":-5,"current_usage":3}})",
        R"({"rate_limits":{"five_hour":{"used_percentage":-9e99,"resets_at":"soon"},"seven_day":null}})",
        R"({"model":{"display_name":"\u001b[31m\n#(rm -rf)\u202e"}})"}) {
    const auto input = [&] {
      auto told = usage::parse_statusline_input(json);
      return told ? *std::move(told) : usage::StatuslineInput();
    }();
    for (const auto style : {usage::StatuslineStyle::plain, usage::StatuslineStyle::tmux}) {
      const std::string line = usage::statusline_text(input, {}, style, kNow);
      EXPECT_FALSE(line.empty()) << json;
      EXPECT_LT(line.size(), 200U) << json;
      EXPECT_THAT(line, Not(HasSubstr("\x1b"))) << json;
      EXPECT_THAT(line, Not(HasSubstr("\n"))) << json;
    }
  }
  usage::StatuslineInput input;
  input.model = "a#(b)" + std::string(1000, 'x');
  const std::string line = usage::statusline_text(input, {}, usage::StatuslineStyle::tmux, kNow);
  EXPECT_THAT(line, HasSubstr("a##(b)"));
  EXPECT_LT(line.size(), 60U);
}

TEST_F(Usage, TheStatusLineTellsSessionTodayAndBlock) {
  const auto session = store.session({.native_id = "aaaa1111", .start = kNow});
  store.response(session, -1, {1'000'000, 0}, kNow - 30 * kHour, "claude-opus-4-6");
  store.response(session, -1, {200'000, 0}, kNow - 2 * kHour - 60'000, "claude-opus-4-6");
  const auto other = store.session({.native_id = "bbbb2222", .start = kNow});
  store.response(other, -1, {100'000, 0}, kNow - kHour, "gpt-99");
  usage::StatuslineInput input;
  input.session_id = "aaaa1111";
  // Prompts above 200,000 tokens cost twice as much then. The block begins at 03:00, the hour of its first response.
  EXPECT_EQ(line(input), "session 1.2M $11.00 · today 300k ≥$1.00 · block 300k ≥$1.00, 2 h 0 min left");
  input.session_id = "cccc3333";
  EXPECT_THAT(line(input), Not(HasSubstr("session")));
  EXPECT_EQ(line({}, kNow + 10 * kMsPerDay), "memd");
}

}  // namespace
}  // namespace memd::test

// The page of a report: whatever transcripts contain, it stays one page that runs only its own script.
#include "daemon/report/gaps.hpp"
#include "daemon/report/html_page.hpp"
#include "daemon/report/report_page.hpp"

#include "daemon/report/memory_map.hpp"
#include "schemas/base/time.hpp"
#include "test/support/time_zone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

namespace memd::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & \"quotes\"";
constexpr std::string_view kSecret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

Report with_sessions(int count) {
  Report r;
  r.sessions = count;
  for (int i = 0; i < count; ++i) {
    ReportSession& s = r.newest.emplace_back();
    s.session.uid = "claude_code:" + std::to_string(i);
    s.session.title = kHostile;
    s.goal = "with the token " + std::string(kSecret);
    s.exchanges = 3;
    for (int t = 0; t < 40; ++t)
      s.turns.push_back({t + 1, 1000, std::string(80, 'w'), {}, 1, 0});
  }
  return r;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

TEST(ReportPage, HostileTextStaysText) {
  const std::string page = report_page(report_data(with_sessions(1), {1, "0", "--project </title><script>", {}}));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr(std::string(kSecret))));
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at)
    ++scripts;
  EXPECT_EQ(scripts, 2u) << "the data and the script";
  const auto data = boost::json::parse(between(page, "id=\"data\">", "</script>"));
  EXPECT_EQ(data.at("sessions").at(0).at("title").as_string(), std::string_view(kHostile));
  EXPECT_THAT(std::string(data.at("sessions").at(0).at("goal").as_string()), HasSubstr("[redacted:"));
}

TEST(ReportPage, EveryPlatformHasItsNameAndColour) {
  const std::string page = report_page(report_data(Report{}, {1, "0", "", {}}));
  const auto data = boost::json::parse(between(page, "id=\"data\">", "</script>"));
  for (const PlatformInfo& p : platforms()) {
    EXPECT_EQ(data.at("platform_names").at(p.key).as_string(), p.name);
    const std::string colours = std::string(p.light) + ", " + std::string(p.dark);
    EXPECT_THAT(page, HasSubstr(".p-" + std::string(p.key) + " { --c: light-dark(" + colours + "); }"));
  }
}

TEST(ReportPage, ThePolicyNamesTheHashOfTheScriptAndLetsNothingLoad) {
  const std::string page = report_page("{}");
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\">");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("http")));
  // The SHA-256 of one line break. test/browser lets Chromium check the hashes of whole pages.
  EXPECT_THAT(page_head({"t", {}, {}}), HasSubstr("'sha256-AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs='"));
  EXPECT_THAT(policy, testing::ContainsRegex("style-src 'sha256-[A-Za-z0-9+/]{43}='"));
  EXPECT_THAT(policy, testing::ContainsRegex("script-src 'sha256-[A-Za-z0-9+/]{43}='"));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

TEST(ReportPage, ManySessionsMakeABoundedPage) {
  const std::string data = report_data(with_sessions(5000), {});
  EXPECT_LT(data.size(), 5'000'000u);
  const auto parsed = boost::json::parse(data);
  const auto& sessions = parsed.at("sessions").as_array();
  EXPECT_EQ(sessions.size(), 5000u) << "each has its line";
  const auto detailed = parsed.at("detailed").as_int64();
  EXPECT_GT(detailed, 100);
  EXPECT_LT(detailed, 5000);
  EXPECT_TRUE(sessions.front().as_object().contains("turns"));
  EXPECT_FALSE(sessions.back().as_object().contains("turns"));
}

TEST(ReportPage, NamesTheZoneOfItsDaysAndTheWayToThem) {
  const test::ScopedTimeZone berlin("Europe/Berlin");
  if (!berlin.known()) GTEST_SKIP() << "no zones here";
  Report r = with_sessions(1);
  r.newest[0].session.started_at = *parse_rfc3339("2026-03-01T12:00:00Z");
  const auto made = *parse_rfc3339("2026-04-01T12:00:00Z");
  const auto data = boost::json::parse(report_data(r, {made, "0", "", {}}));
  EXPECT_THAT(std::string(data.at("zone").as_string()), HasSubstr("Europe/Berlin (UTC+0"));
  const auto& offsets = data.at("offsets").as_array();
  ASSERT_EQ(offsets.size(), 2U);
  EXPECT_EQ(offsets[0].at("from").as_int64(), r.newest[0].session.started_at);
  EXPECT_EQ(offsets[1].at("ahead").as_int64(), 2 * 3'600'000);
}

TEST(ReportPage, EscapesForMarkup) {
  EXPECT_EQ(escape_html("<a href='x'>\"&\x01\r\n"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\xEF\xBF\xBD\n");
  EXPECT_EQ(json_for_script(R"({"a":"</script>&"})"), "{\"a\":\"\\u003c/script\\u003e\\u0026\"}");
  EXPECT_THROW(page_file("no-such.css"), std::out_of_range);
}

TEST(ReportPage, SaysWhatWasComputedAndWhatHasNoPrice) {
  Report r = with_sessions(1);
  const TokenUsage tokens{1'000'000, 100'000};
  r.usage = {{{1, tokens, 8.5}, 1000, Platform::claude_code, "claude-opus-4-6"},
             {{1, tokens, std::nullopt, 1'100'000}, 1000, Platform::codex, "gpt-99"}};
  const auto data = boost::json::parse(report_data(r, {1, "0", "", {}, "a table"}));
  EXPECT_EQ(data.at("priced").as_string(), "a table");
  EXPECT_DOUBLE_EQ(data.at("usage").at(0).at("usd").as_double(), 8.5);
  EXPECT_FALSE(data.at("usage").at(1).as_object().contains("usd"));
  EXPECT_EQ(data.at("usage").at(1).at("unpriced").as_int64(), 1'100'000);
  EXPECT_FALSE(boost::json::parse(report_data(r, {})).as_object().contains("priced"));
}

TEST(ReportGaps, SaysWhatIsMissingWarningsFirst) {
  Report r = with_sessions(1);
  r.sessions = 9;
  r.evicted_sessions = 2;
  r.undated_exchanges = 3;
  PlatformTotals& totals = r.totals.emplace_back();
  totals.platform = Platform::codex;
  totals.sessions = 1;
  totals.bytes_unknown = 70;
  totals.unknown_records = 2;
  r.health.troubles.push_back({Platform::cursor, "/m/state.vscdb", SourceState::unreachable, "not mounted", 1, 0});
  AdapterDescription codex;
  codex.platform = Platform::codex;
  codex.limitations = {"Images are kept by reference."};
  AdapterDescription cline;
  cline.platform = Platform::cline;
  cline.status = AdapterStatus::disabled;
  const auto gaps = gaps_of(r, {}, std::array{codex, cline});
  std::string all;
  for (const Gap& g : gaps)
    all += std::string(g.weight == Gap::Weight::warning ? "!" : "-") +
           (g.platform ? std::string(to_string(*g.platform)) : "") + ": " + g.text + "\n";
  EXPECT_TRUE(all.starts_with("!codex: 2 records of unknown shape (70 bytes)")) << all;
  EXPECT_THAT(all, HasSubstr("!cursor: /m/state.vscdb is unreachable: not mounted."));
  EXPECT_THAT(all, HasSubstr("The 1 newest sessions are listed one by one; 8 older ones"));
  EXPECT_THAT(all, HasSubstr("-: Of 2 sessions the texts and events were dropped"));
  EXPECT_THAT(all, HasSubstr("-: 3 turns have no known time"));
  EXPECT_THAT(all, HasSubstr("0 of 9 sessions have the cost their agent calculates"));
  EXPECT_THAT(all, HasSubstr("-codex: It does not record tokens."));
  EXPECT_THAT(all, HasSubstr("-codex: Images are kept by reference."));
  EXPECT_THAT(all, HasSubstr("-cline: Left out: it is disabled"));
}

TEST(MemoryMap, DrawsEachEdgeOnceAndTheMostLinked) {
  memories::MemoryGraphView graph;
  const memory::MemoryPlace place{MemoryScope::global, MemoryDialect::plugin, "/m"};
  for (int i = 0; i < 700; ++i) {
    Memory m;
    m.slug = "m" + std::to_string(i);
    m.title = "Title </script> " + std::to_string(i);
    graph.nodes.push_back({m, place});
  }
  graph.edges = {{{"m650", "m1", "supersedes", 0}, place},
                 {{"m1", "m650", "superseded-by", 0}, place},
                 {{"m2", "m650", "relates-to", 0}, place},
                 {{"m650", "m2", "relates-to", 0}, place},
                 {{"m650", "gone", "supersedes", 0}, place}};
  ReportContext context{1, "0", "", {}};
  context.memories = graph;
  const auto data = boost::json::parse(report_data(Report{}, context)).at("memories").as_object();
  EXPECT_EQ(data.at("nodes").as_array().size(), 600U);
  EXPECT_EQ(data.at("left_out").as_int64(), 100);
  EXPECT_EQ(data.at("nodes").at(0).at("slug"), "m650");
  ASSERT_EQ(data.at("edges").as_array().size(), 2U);
  EXPECT_FALSE(data.at("edges").at(0).as_object().contains("a")) << "0, the first node";
  const std::string page = memory_page(graph, 1, "/home/ada/app");
  EXPECT_EQ(page.find("</script> 1"), std::string::npos);
  EXPECT_NE(page.find("Content-Security-Policy"), std::string::npos);
}

}  // namespace
}  // namespace memd::report

// Checks that a report over real histories has the sums of reference.json and of the store's own totals. Skipped
// without a corpus.
#include "daemon/report/report_page.hpp"
#include "schemas/store_health.hpp"
#include "store/db/database.hpp"
#include "store/read/ingestion.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "store/report/report.hpp"
#include "test/support/corpus_store.hpp"

#include <gtest/gtest.h>

#include <map>

namespace memd {
namespace {

using ReportCorpus = test::CorpusStore;

TEST_F(ReportCorpus, TokensAreThoseOfTheReference) {
  const auto reference = test::corpus_reference();
  Reader reader(database());
  ReportQuery main_only;
  main_only.filter.include_subagents = false;
  const auto report = reader.ask(main_only);
  ASSERT_TRUE(report) << report.error().message();
  std::map<Platform, TokenUsage> by_platform;
  std::map<Platform, std::int64_t> exchanges;
  for (const DayUsage& u : report->usage) {
    by_platform[u.platform] += u.tokens;
    by_platform[u.platform].cache_creation_1h = by_platform[u.platform].reasoning = 0;  // not in the reference
    exchanges[u.platform] += u.exchanges;
  }
  for (const auto& [name, platform] : reference.at("platforms").as_object()) {
    const auto key = parse_platform(name);
    ASSERT_TRUE(key);
    const auto& totals = platform.at("totals");
    EXPECT_EQ(exchanges[*key], totals.at("exchanges").as_int64()) << name;
    if (*key == Platform::gemini) continue;  // the reference omits its thinking tokens
    const auto& tokens = totals.at("tokens");
    EXPECT_EQ(by_platform[*key],
              (TokenUsage{tokens.at("input").as_int64(), tokens.at("output").as_int64(),
                          tokens.at("cache_read").as_int64(), tokens.at("cache_creation").as_int64()}))
        << name;
  }
}

TEST_F(ReportCorpus, SumsAreThoseOfTheStore) {
  Reader reader(database());
  const auto report = reader.ask(ReportQuery{});
  ASSERT_TRUE(report);
  std::int64_t sessions = 0, agents = 0, exchanges = 0;
  const auto totals = reader.ask(PlatformTotalsQuery{}).value();
  for (const PlatformTotals& t : totals)
    exchanges += t.exchanges + t.subagent_exchanges;
  const auto list = reader.ask(SessionListQuery{{}, 10'000, 0}).value();  // without placeholders, as the report
  for (const SessionRow& s : list.sessions)
    ++(s.kind == SessionKind::main ? sessions : agents);
  EXPECT_EQ(report->sessions, sessions);
  EXPECT_EQ(report->subagent_sessions, agents);
  EXPECT_EQ(report->exchanges + report->subagent_exchanges, exchanges);
  TokenUsage of_sessions;
  std::int64_t calls = 0, errors = 0;
  for (const SessionRow& s : list.sessions) {
    of_sessions += s.cost.tokens;
    calls += s.tool_calls;
    errors += s.tool_errors;
  }
  EXPECT_EQ(report->tokens, of_sessions);
  std::int64_t used = 0, failed = 0, on_days = 0;
  for (const ToolUse& t : report->tools)
    used += t.calls, failed += t.errors;
  for (const DayActivity& d : report->activity)
    on_days += d.tool_calls;
  EXPECT_EQ(used, calls);
  EXPECT_EQ(on_days, calls);
  // A failed result without a call is counted for no tool.
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  auto& orphans = db.prepare("SELECT count(*) FROM events WHERE kind = 4 AND flags & 1 AND pair_seq IS NULL");
  ASSERT_TRUE(orphans.step());
  EXPECT_EQ(failed + orphans.int64(0), errors);
  const std::string page = report::report_page(report::report_data(*report, {}));
  EXPECT_LT(page.size(), 2'000'000u);
}

// The reports of two halves of the time add up to the whole.
TEST_F(ReportCorpus, HalvesAddUp) {
  Reader reader(database());
  const auto whole = reader.ask(ReportQuery{});
  ASSERT_TRUE(whole);
  const TimeMs middle = 1'769'900'000'000;
  ReportQuery before, after;
  before.filter.until = middle;
  after.filter.since = middle;
  const auto a = reader.ask(before), b = reader.ask(after);
  ASSERT_TRUE(a && b);
  EXPECT_GT(a->exchanges, 0);
  EXPECT_GT(b->exchanges, 0);
  EXPECT_EQ(a->exchanges + b->exchanges + whole->undated_exchanges, whole->exchanges);
}

}  // namespace
}  // namespace memd

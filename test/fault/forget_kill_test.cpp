// Kills a process that forgets a project, single exchanges or a text at random moments. The next start finishes the
// work, and nothing of it is left. MEMD_KILLS sets the number of kills; 10 by default.
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/forgotten_turns.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "store/db/withheld.hpp"
#include "store/read/forget_plan.hpp"
#include "store/reader.hpp"
#include "store/reader_pool.hpp"
#include "store/write/forgetting.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/transcript_home.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

enum class What { nothing, project, exchanges, text };

constexpr const char* kWord = "forgottencanary";

Result<void> forget(MemoryHost& host, const Settings& settings, What what) {
  std::vector<std::string> uids;
  std::vector<ForgottenExchange> exchanges;
  auto reader = host.readers().acquire(5s);
  if (what == What::project) {
    ForgetSelection selection;
    selection.project = "exproject";
    const ForgetPlanQuery query{selection, settings.layout.raw_dir(), {}};
    MEMD_TRY_ASSIGN(const auto plan, (*reader)->ask(query));
    for (const auto& p : plan)
      uids.insert(uids.end(), p.members.begin(), p.members.end());
  }
  if (what == What::exchanges) {
    ExchangeForgetPlanQuery query;
    auto db = sqlite::Database::open(settings.layout.database(), sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), "SELECT exchange_pk FROM exchanges WHERE instr(user_message, 'forgottencanary')");
    while (q.step())
      query.ids.push_back(q.int64(0));
    MEMD_TRY_ASSIGN(const auto plan, (*reader)->ask(query));
    for (const auto& p : plan)
      exchanges.push_back(p.exchange);
  }
  return host.ingest()->perform([&](Writer& writer) -> Result<void> {
    Forgetting forgetting(writer, judge_of_records);
    const auto forgotten = what == What::text ? forgetting.forget_text(kWord) : forgetting.forget(uids, exchanges);
    return forgotten ? Result<void>() : forgotten.error();
  });
}

// Simulates one process on a data directory: ingests everything, or forgets something.
bool live(const Settings& settings, What what) {
  const test::FakeClock clock;
  MemoryHost host(settings, clock);
  if (!host.start_ingest()) return false;
  if (what != What::nothing) return static_cast<bool>(forget(host, settings, what));
  host.ingest()->scan();
  return host.ingest()->block_until_idle(60s) && host.enrichment()->block_until_idle(60s);
}

std::vector<std::string> kept_rows(const fs::path& file) {
  auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
  EXPECT_NO_THROW(test::check_full_text_index(db));
  sqlite::Statement integrity(db.handle(), "PRAGMA integrity_check");
  EXPECT_TRUE(integrity.step());
  EXPECT_EQ(integrity.text(0), "ok");
  return test::dump_store(db);
}

class ForgetKill : public testing::TestWithParam<What> {};

TEST_P(ForgetKill, AtAnyMomentIsFinishedByTheNextStart) {
  const int kWantedKills = test::wanted_kills(10);
  test::TranscriptHome home;
  const TimeMs t = test::FakeClock().now() - kMsPerDay;
  for (int session = 1; session <= 6; ++session)
    for (int i = 0; i < 25; ++i) {
      // Sessions as a whole, or every fifth turn.
      const bool goes = GetParam() == What::project ? session % 2 == 0 : i % 5 == 2;
      const char* project = GetParam() == What::project && goes ? "/w/exproject" : "/w/open";
      const std::string word = goes ? "forgottencanary" : "keptword";
      home.turn(project, session, t + i * 1000, word, word + "?", word + " " + std::to_string(i));
      home.typed(project, session, t + i * 1000, word + "?");
    }
  test::TempDir full;
  Settings settings{StoreLayout(full.path()), false, home.path(), {}, "", {}};
  settings.config.embedding.choice.provider = EmbeddingProvider::disabled;
  ASSERT_TRUE(live(settings, What::nothing));
  ASSERT_NE(test::everything_below(full.path()).find("forgottencanary"), std::string::npos);
  const auto copy_to = [&](const fs::path& to) {
    fs::copy(full.path(), to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  };

  test::TempDir clean;
  copy_to(clean.path());
  settings.layout = StoreLayout(clean.path());
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(live(settings, GetParam()));
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
  const std::string left = test::everything_below(clean.path());
  const auto at = left.find(kWord);
  ASSERT_EQ(at, std::string::npos) << left.substr(at - std::min<std::size_t>(at, 200), 400);
  const auto want = kept_rows(settings.layout.database());

  std::mt19937 random(15);
  int kills = 0;
  int in_the_middle = 0;
  for (int round = 0; round < 20 * kWantedKills && kills < kWantedKills; ++round) {
    test::TempDir data;
    copy_to(data.path());
    settings.layout = StoreLayout(data.path());
    const std::chrono::microseconds lifetime(500 + random() % static_cast<std::uint32_t>(whole.count()));
    if (!test::killed_during([&] { return live(settings, GetParam()); }, lifetime)) continue;
    ++kills;
    const auto withheld = Withheld::open(settings.layout.withheld());
    ASSERT_TRUE(withheld) << withheld.error().message();
    const bool is_forgotten = (*withheld)->forgot_something() || !(*withheld)->texts()->is_empty();
    in_the_middle += (*withheld)->is_unfinished() ? 1 : 0;
    ASSERT_TRUE(live(settings, What::nothing)) << "the next start, with a look at the agents' files";
    const bool found = test::everything_below(data.path()).find("forgottencanary") != std::string::npos;
    EXPECT_EQ(found, !is_forgotten) << "round " << round;
    if (is_forgotten) {
      EXPECT_EQ(kept_rows(settings.layout.database()), want) << "round " << round;
    }
  }
  EXPECT_GE(kills, kWantedKills) << "too few of the processes were killed in the middle to show anything";
  EXPECT_GE(in_the_middle, kWantedKills / 10) << "too few of them were forgetting";
}

INSTANTIATE_TEST_SUITE_P(Forgotten, ForgetKill, testing::Values(What::project, What::exchanges, What::text),
                         [](const auto& given) {
                           return given.param == What::project     ? "Project"
                                  : given.param == What::exchanges ? "Exchanges"
                                                                   : "Text";
                         });

}  // namespace
}  // namespace memd

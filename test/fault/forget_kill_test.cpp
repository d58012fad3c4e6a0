// Kills a process that forgets a project at random moments. The next start finishes the work, and nothing of the
// project is left. MEMD_KILLS sets the number of kills; 10 by default.
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/forgotten_turns.hpp"
#include "store/db/withheld.hpp"
#include "store/read/forget_plan.hpp"
#include "store/write/forgetting.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/transcript_home.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Simulates one process on a data directory: ingests everything and, with `forget`, forgets a project.
bool live(const Settings& settings, bool forget) {
  const test::FakeClock clock;
  MemoryHost host(settings, clock);
  if (!host.start_ingest()) return false;
  if (!forget) {
    host.ingest()->scan();
    return host.ingest()->block_until_idle(60s) && host.enrichment()->block_until_idle(60s);
  }
  ForgetSelection selection;
  selection.project = "exproject";
  auto reader = host.readers().acquire(5s);
  const auto plan = (*reader)->ask(ForgetPlanQuery{selection, settings.layout.raw_dir(), {}});
  if (!plan) return false;
  std::vector<std::string> uids;
  for (const auto& p : *plan)
    uids.insert(uids.end(), p.members.begin(), p.members.end());
  const auto done = host.ingest()->perform([&](Writer& writer) -> Result<void> {
    const auto forgotten = Forgetting(writer, judge_of_records).forget(uids);
    return forgotten ? Result<void>() : forgotten.error();
  });
  return static_cast<bool>(done);
}

std::vector<std::string> kept_rows(const fs::path& file) {
  auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
  EXPECT_NO_THROW(test::check_full_text_index(db));
  sqlite::Statement integrity(db.handle(), "PRAGMA integrity_check");
  EXPECT_TRUE(integrity.step());
  EXPECT_EQ(integrity.text(0), "ok");
  return test::dump_store(db);
}

TEST(ForgetKill, AtAnyMomentIsFinishedByTheNextStart) {
  const int kWantedKills = test::wanted_kills(10);
  test::TranscriptHome home;
  const TimeMs t = test::FakeClock().now() - kMsPerDay;
  for (int session = 1; session <= 6; ++session)
    for (int i = 0; i < 25; ++i) {
      const bool goes = session % 2 == 0;
      const std::string word = goes ? "forgottencanary" : "keptword";
      home.turn(goes ? "/w/exproject" : "/w/open", session, t + i * 1000, word, word + "?",
                word + " " + std::to_string(i));
      home.typed(goes ? "/w/exproject" : "/w/open", session, t + i * 1000, word + "?");
    }
  test::TempDir full;
  Settings settings{StoreLayout(full.path()), false, home.path(), {}, "", {}};
  settings.config.embedding.choice.provider = EmbeddingProvider::disabled;
  ASSERT_TRUE(live(settings, false));
  ASSERT_NE(test::everything_below(full.path()).find("forgottencanary"), std::string::npos);
  const auto copy_to = [&](const fs::path& to) {
    fs::copy(full.path(), to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  };

  test::TempDir clean;
  copy_to(clean.path());
  settings.layout = StoreLayout(clean.path());
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(live(settings, true));
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
  ASSERT_EQ(test::everything_below(clean.path()).find("forgottencanary"), std::string::npos);
  const auto want = kept_rows(settings.layout.database());

  std::mt19937 random(15);
  int kills = 0;
  int in_the_middle = 0;
  for (int round = 0; round < 20 * kWantedKills && kills < kWantedKills; ++round) {
    test::TempDir data;
    copy_to(data.path());
    settings.layout = StoreLayout(data.path());
    const std::chrono::microseconds lifetime(500 + random() % static_cast<std::uint32_t>(whole.count()));
    if (!test::killed_during([&] { return live(settings, true); }, lifetime)) continue;
    ++kills;
    const auto withheld = Withheld::open(settings.layout.withheld());
    ASSERT_TRUE(withheld) << withheld.error().message();
    const bool is_forgotten = (*withheld)->forgot_something();
    in_the_middle += (*withheld)->is_unfinished() ? 1 : 0;
    ASSERT_TRUE(live(settings, false)) << "the next start, with a look at the agents' files";
    const bool found = test::everything_below(data.path()).find("forgottencanary") != std::string::npos;
    EXPECT_EQ(found, !is_forgotten) << "round " << round;
    if (is_forgotten) {
      EXPECT_EQ(kept_rows(settings.layout.database()), want) << "round " << round;
    }
  }
  EXPECT_GE(kills, kWantedKills) << "too few of the processes were killed in the middle to show anything";
  EXPECT_GE(in_the_middle, kWantedKills / 10) << "too few of them were forgetting";
}

}  // namespace
}  // namespace memd

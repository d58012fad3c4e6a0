// Kills a process that migrates an older store at random moments. The store it leaves has an intermediate version and
// is complete, and the next start continues. MEMD_KILLS sets the number of kills.
#include "test/fault/prepared_store.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/mixed_store.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <random>
#include <set>

namespace memd {
namespace {

namespace fs = std::filesystem;

TEST(MigrationKill, AtRandomMomentsTheNextStartGoesOn) {
  constexpr int kOld = 4;
  test::TempDir dir;
  const StoreLayout older(dir / "older");
  {
    const test::MixedStore whole;
    test::make_older(whole.layout(), older, kOld);
  }
  const StoreLayout store(dir / "store");
  const auto prepare = [&] {
    fs::remove_all(store.data_dir());
    fs::copy(older.data_dir(), store.data_dir(), fs::copy_options::recursive);
  };
  const auto work = [&] {
    const test::FakeClock clock;
    return Writer::open(store.database(), clock, store.raw_dir()).has_value();
  };
  prepare();
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(work());
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
  const auto want = test::dump_with_keys(store);
  ASSERT_GT(want.size(), 100U);

  std::mt19937 random(37);
  int kills = 0;
  std::set<std::int64_t> versions;
  const int wanted = test::wanted_kills(8);
  for (int round = 0; kills < wanted && round < 3 * wanted + 10; ++round) {
    prepare();
    const std::chrono::microseconds lifetime(200 + random() % static_cast<std::uint32_t>(whole.count()));
    if (!test::killed_during(work, lifetime)) continue;
    ++kills;
    {
      auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
      versions.insert(db.pragma("user_version"));
      sqlite::Statement check(db.handle(), "PRAGMA integrity_check");
      ASSERT_TRUE(check.step());
      ASSERT_EQ(check.text(0), "ok");
    }
    ASSERT_TRUE(work());
    ASSERT_EQ(test::rows_of_one(test::dump_with_keys(store), want), std::vector<std::string>());
  }
  EXPECT_GE(kills, wanted) << "too few of the processes were killed in the middle to show anything";
  EXPECT_GE(versions.size(), 2U) << "none was killed between two versions";
  RecordProperty("kills", kills);
}

}  // namespace
}  // namespace memd

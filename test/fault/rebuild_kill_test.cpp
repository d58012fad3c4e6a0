// Kills a rebuild of a damaged raw layer at random moments. The store is then the complete old one or the complete new
// one. MEMD_KILLS sets the number of kills.
#include "daemon/ingest/rebuild.hpp"
#include "store/db/store_copies.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/mixed_store.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace memd {
namespace {

namespace fs = std::filesystem;

TEST(RebuildKill, AtRandomMomentsOfARebuildTheStoreIsOldOrNew) {
  test::TempDir dir;
  std::mt19937 random(31);
  const StoreLayout damaged(dir / "damaged");
  const StoreLayout store(dir / "store");
  {
    const test::MixedStore whole;
    whole.copy_to(damaged);
  }
  test::flip_in_raw(damaged, random);
  const auto want = test::dump_with_keys(damaged);
  const auto prepare = [&] {
    fs::remove_all(store.data_dir());
    fs::copy(damaged.data_dir(), store.data_dir(), fs::copy_options::recursive);
  };
  const auto work = [&] {
    const auto report = rebuild_store(store, find_adapter);
    return report && report->replaced;
  };
  prepare();
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(work());
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);

  int kills = 0;
  const int wanted = test::wanted_kills(3);
  for (int round = 0; kills < wanted && round < 3 * wanted + 10; ++round) {
    // Two of three rounds start from a store left by earlier kills.
    if (round % 3 == 0) prepare();
    const std::chrono::microseconds lifetime(500 + random() % static_cast<std::uint32_t>(whole.count()));
    if (!test::killed_during(work, lifetime)) continue;
    ++kills;
    ASSERT_EQ(test::rows_of_one(test::dump_with_keys(store), want), std::vector<std::string>());
  }
  EXPECT_GE(kills, wanted) << "too few of the processes were killed in the middle to show anything";
  ASSERT_TRUE(work());
  EXPECT_EQ(test::rows_of_one(test::dump_with_keys(store), want), std::vector<std::string>());
  ASSERT_EQ(copies_of_store(store).size(), 1u);
  EXPECT_EQ(copies_of_store(store).front().file, store.before_rebuild());
}

}  // namespace
}  // namespace memd

// Kills a process that reads a source changing in place at random moments, while the source continues to change. In the
// end the store equals one read of the final state. MEMD_KILLS sets the number of kills.
#include "test/support/in_place_store.hpp"
#include "test/support/killed_process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace memd {
namespace {

using test::InPlaceStore;
using test::ScriptedSource;

SnapshotLimits small() { return {256, 1 << 20, 4}; }  // many slices, so that kills fall between them

void talk(ScriptedSource& source, const std::string& session, int n) {
  const std::string i = std::to_string(n);
  source.add(session, "u" + i, "user;text=question " + i + ";cwd=/w/" + std::to_string(n % 3));
  source.add(session, "c" + i, "tool;id=c" + i + ";tool=Bash;input=go test;text=out" + (n % 4 == 0 ? ";error=1" : ""));
  source.add(session, "a" + i, "answer;text=answer " + i + ";response=r" + i + ";out=" + i);
}

// Runs a sync in a child process and kills it after `lifetime` if it is still running.
bool killed_during_sync(InPlaceStore& store, std::chrono::microseconds lifetime) {
  store.close();
  const bool killed = test::killed_during(
      [&] {
        store.restart();
        return store.try_sync(true).has_value();
      },
      lifetime);
  store.restart();
  return killed;
}

TEST(InPlaceKill, WhileTheSourceChangesLosesNothingAndDoublesNothing) {
  std::mt19937 random(11);
  const auto pick = [&random](std::uint32_t n) { return static_cast<int>(random() % n); };
  int kills = 0;
  const int wanted = test::wanted_kills(5);
  for (int round = 0; round < 6 || (kills < wanted && round < wanted); ++round) {
    ScriptedSource source;
    InPlaceStore store(source, small());
    int n = 0;
    for (int step = 0; step < 10; ++step) {
      for (int i = 0; i < 15; ++i)
        talk(source, "s" + std::to_string(pick(3)), ++n);
      for (int i = 0; i < 3; ++i)
        source.set("s" + std::to_string(pick(3)), "a" + std::to_string(1 + pick(static_cast<std::uint32_t>(n))),
                   "answer;text=better " + std::to_string(step));
      kills += killed_during_sync(store, std::chrono::microseconds(500 + pick(25'000))) ? 1 : 0;
      EXPECT_EQ(store.text("PRAGMA integrity_check"), "ok");
      EXPECT_EQ(store.number("SELECT count(*) FROM sources WHERE cursor <> (SELECT coalesce(sum(bytes), 0) FROM"
                             " coverage)"),
                0);
    }
    store.sync();
    InPlaceStore fresh(source);
    fresh.sync();
    ASSERT_EQ(store.dump(), fresh.dump());
  }
  EXPECT_GE(kills, wanted) << "too few of the processes were killed in the middle to show anything";
}

}  // namespace
}  // namespace memd

#include "daemon/ingest/watcher.hpp"
#include "daemon/ingest/discovery.hpp"
#include "store/files/path_name.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::write_file;

class WatcherTest : public testing::Test {
 protected:
  void start(WatchOptions options = {}) {
    watcher_ = make_watcher(loop_, discovery_,
                            {[this](const SourceCandidate& source, const auto&) { changed_.insert(source.path); },
                             [this](const auto& path) { changed_.insert(path.string()); }, [this] { ++rescans_; }},
                            options);
    watcher_->start();
  }
  void use_roots(std::vector<std::filesystem::path> roots) {
    discovery_ = Discovery(adapters_, home_.path(), {{Platform::thunderus, std::move(roots)}}, {});
  }
  // Runs the loop until the condition holds, or for 5 s.
  template <class Condition>
  bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    while (!condition() && std::chrono::steady_clock::now() < deadline)
      loop_.run_one_until(deadline);
    return condition();
  }
  bool reported(const std::filesystem::path& path) {
    return until([&] { return changed_.contains(path.string()); });
  }
  // Waits until all earlier changes have been handled: a marker file is reported last.
  void settle() {
    const auto mark = home_ / "lines/mark.jsonl";
    test::append_file(mark, "x\n");
    EXPECT_TRUE(reported(mark));
    changed_.clear();
  }
  void TearDown() override {
    if (!watcher_) return;
    watcher_->stop();
    loop_.restart();
    loop_.run();  // returns: no work is left
  }

  test::TempDir home_;
  test::LineAdapter adapter_;
  std::array<const Adapter*, 1> adapters_{&adapter_};
  Discovery discovery_{adapters_, home_.path(), {}, {}};
  boost::asio::io_context loop_{1};
  std::unique_ptr<Watcher> watcher_;
  std::set<std::string> changed_;
  int rescans_ = 0;
};

TEST_F(WatcherTest, WhatLinksLeadToIsWatchedToo) {
  discovery_ = Discovery(adapters_, home_.path(), {}, {});
  std::filesystem::create_directories(home_ / "lines");
  write_file(home_ / "disk/a.jsonl", "1\n");
  write_file(home_ / "other/b.jsonl", "1\n");
  std::filesystem::create_directory_symlink(home_ / "disk", home_ / "lines/linked");
  std::filesystem::create_symlink(home_ / "other/b.jsonl", home_ / "lines/b.jsonl");
  start();
  test::append_file(home_ / "disk/a.jsonl", "2\n");
  EXPECT_TRUE(reported(home_ / "lines/linked/a.jsonl"));
  test::append_file(home_ / "other/b.jsonl", "2\n");
  EXPECT_TRUE(reported(home_ / "lines/b.jsonl"));
  settle();
  write_file(home_ / "new", "1\n");
  std::filesystem::rename(home_ / "new", home_ / "other/b.jsonl");
  EXPECT_TRUE(reported(home_ / "lines/b.jsonl"));
  settle();
  test::append_file(home_ / "other/b.jsonl", "3\n");
  EXPECT_TRUE(reported(home_ / "lines/b.jsonl")) << "the file that took its place";
  std::filesystem::create_directories(home_ / "late");
  std::filesystem::create_directory_symlink(home_ / "late", home_ / "lines/late");
  EXPECT_TRUE(reported(home_ / "lines/late"));
  write_file(home_ / "late/c.jsonl", "1\n");
  EXPECT_TRUE(reported(home_ / "lines/late/c.jsonl"));
}

TEST_F(WatcherTest, ReportsAppendsToSources) {
  const auto file = home_ / "lines/a.jsonl";
  write_file(file, "one\n");
  start();
  test::append_file(file, "two\n");
  EXPECT_TRUE(reported(file));
}

TEST_F(WatcherTest, ReportsDirectoriesThatAppearInsideARoot) {
  std::filesystem::create_directories(home_ / "lines");
  start();
  write_file(home_ / "lines/new/deep/a.jsonl", "one\n");
  EXPECT_TRUE(reported(home_ / "lines/new"));
  write_file(home_ / "lines/new/deep/b.jsonl", "one\n");
  EXPECT_TRUE(reported(home_ / "lines/new/deep/b.jsonl") || changed_.contains((home_ / "lines/new").string()));
}

TEST_F(WatcherTest, ReportsARootThatAppearsLater) {
  start();
  write_file(home_ / "lines/a.jsonl", "one\n");
  EXPECT_TRUE(reported(home_ / "lines"));
  test::append_file(home_ / "lines/a.jsonl", "two\n");
  EXPECT_TRUE(reported(home_ / "lines/a.jsonl"));
}

TEST_F(WatcherTest, IgnoresFilesThatAreNoSources) {
  std::filesystem::create_directories(home_ / "lines");
  start();
  write_file(home_ / "lines/notes.txt", "x");
  write_file(home_ / "lines/a.jsonl", "one\n");
  EXPECT_TRUE(reported(home_ / "lines/a.jsonl"));
  EXPECT_FALSE(changed_.contains((home_ / "lines/notes.txt").string()));
}

TEST_F(WatcherTest, ACompanionIsReportedAsItsMainFile) {
  std::filesystem::create_directories(home_ / "lines");
  start();
  write_file(home_ / "lines/a.jsonl-part", "1\n");
  EXPECT_TRUE(reported(home_ / "lines/a.jsonl"));
  EXPECT_FALSE(changed_.contains((home_ / "lines/a.jsonl-part").string()));
}

TEST_F(WatcherTest, WatchesOnlyWhatItsAdapterLooksInto) {
  write_file(home_ / "lines/private/a.jsonl", "1\n");
  start();
  const std::string before = watcher_->describe();
  std::filesystem::create_directories(home_ / "lines/x/private/deep");
  settle();
  test::append_file(home_ / "lines/private/a.jsonl", "2\n");
  test::append_file(home_ / "lines/x/private/deep/b.jsonl", "2\n");
  settle();
  EXPECT_TRUE(changed_.empty());
  std::filesystem::remove_all(home_ / "lines/x");
  settle();
  EXPECT_EQ(watcher_->describe(), before) << "watches go with their directories";
}

TEST_F(WatcherTest, ARootThatIsDeletedAndMadeAgainIsWatchedAgain) {
  write_file(home_ / "lines/sub/a.jsonl", "one\n");
  start();
  std::filesystem::remove_all(home_ / "lines");
  EXPECT_TRUE(reported(home_ / "lines"));
  changed_.clear();
  write_file(home_ / "lines/sub/a.jsonl", "one\n");
  EXPECT_TRUE(until([&] { return !changed_.empty(); }));
  settle();
  test::append_file(home_ / "lines/sub/a.jsonl", "two\n");
  EXPECT_TRUE(reported(home_ / "lines/sub/a.jsonl"));
}

// Creates the directories on the path one by one, each after the previous one was noticed, and all at once.
TEST_F(WatcherTest, MovesDownAsDirectoriesAppear) {
  const auto root = home_ / "one/two/three";
  for (const bool step_by_step : {true, false}) {
    SCOPED_TRACE(step_by_step);
    std::filesystem::remove_all(home_ / "one");
    use_roots({root});
    start();
    if (step_by_step)
      for (const char* step : {"one", "one/two", "one/two/three"}) {
        std::filesystem::create_directory(home_ / step);
        EXPECT_TRUE(reported(home_ / step)) << step;
      }
    write_file(root / "a.jsonl", "one\n");
    EXPECT_TRUE(until([&] {
      // A hint for any directory on the path means that something below it changed.
      return std::any_of(changed_.begin(), changed_.end(),
                         [&](const auto& path) { return files::is_inside(root / "a.jsonl", path); });
    }));
    changed_.clear();
    test::append_file(root / "a.jsonl", "two\n");
    EXPECT_TRUE(reported(root / "a.jsonl"));
    TearDown();
    loop_.restart();
    watcher_.reset();
    changed_.clear();
  }
}

TEST_F(WatcherTest, ADirectoryRenamedFarAboveARootIsNoticed) {
  use_roots({home_ / "agent/data/lines"});
  write_file(home_ / "agent/data/lines/a.jsonl", "one\n");
  start();
  std::filesystem::rename(home_ / "agent", home_ / "agent.old");
  EXPECT_TRUE(reported(home_ / "agent"));
  changed_.clear();
  write_file(home_ / "agent/data/lines/b.jsonl", "new\n");
  EXPECT_TRUE(until([&] { return !changed_.empty(); }));
  test::append_file(home_ / "agent/data/lines/b.jsonl", "more\n");
  EXPECT_TRUE(reported(home_ / "agent/data/lines/b.jsonl"));
  test::append_file(home_ / "agent.old/data/lines/a.jsonl", "two\n");
  test::append_file(home_ / "agent/data/lines/c.jsonl", "more\n");
  EXPECT_TRUE(reported(home_ / "agent/data/lines/c.jsonl"));
  EXPECT_FALSE(changed_.contains((home_ / "agent/data/lines/a.jsonl").string())) << "that one is elsewhere now";
}

TEST_F(WatcherTest, ADirectoryRenamedInsideARootIsWatchedUnderItsNewName) {
  write_file(home_ / "lines/old/deep/a.jsonl", "one\n");
  start();
  std::filesystem::rename(home_ / "lines/old", home_ / "lines/new");
  EXPECT_TRUE(reported(home_ / "lines/new"));
  EXPECT_TRUE(changed_.contains((home_ / "lines/old").string())) << "what was known below it has to be looked at";
  settle();
  test::append_file(home_ / "lines/new/deep/a.jsonl", "two\n");
  EXPECT_TRUE(reported(home_ / "lines/new/deep/a.jsonl"));
  EXPECT_FALSE(changed_.contains((home_ / "lines/old/deep/a.jsonl").string()));
}

TEST_F(WatcherTest, ARootThatIsASingleFileIsWaitedForAndWatched) {
  use_roots({home_ / "etc/history.jsonl"});
  start();
  std::filesystem::create_directories(home_ / "etc");
  EXPECT_TRUE(reported(home_ / "etc"));
  write_file(home_ / "etc/other.jsonl", "1\n");
  write_file(home_ / "etc/history.jsonl", "1\n");
  EXPECT_TRUE(reported(home_ / "etc/history.jsonl"));
  changed_.clear();
  test::append_file(home_ / "etc/history.jsonl", "2\n");
  EXPECT_TRUE(reported(home_ / "etc/history.jsonl"));
  EXPECT_FALSE(changed_.contains((home_ / "etc/other.jsonl").string()));
}

TEST_F(WatcherTest, WhatIsBeyondTheLimitIsPolledAndSaid) {
  for (const char* dir : {"lines/a", "lines/b", "lines/b/deep", "lines/c"})
    std::filesystem::create_directories(home_ / dir);
  start({.max_directories = 2, .poll_interval = 5ms});
  EXPECT_EQ(watcher_->describe(),
            "inotify, 2 directories; polling every 0.005 s what could not be watched: the limit of 2 watches is"
            " reached");
  const std::set<std::string> all{(home_ / "lines/a").string(), (home_ / "lines/b").string(),
                                  (home_ / "lines/c").string()};
  // One of the three has the second watch; of `b` only the topmost directory is polled.
  EXPECT_TRUE(until([&] { return changed_.size() >= 2; }));
  for (const auto& path : changed_)
    EXPECT_TRUE(all.contains(path) || path == (home_ / "lines/b/deep").string()) << path;
  EXPECT_EQ(rescans_, 0);
}

TEST_F(WatcherTest, HintsThatTheSystemDroppedAreMadeGood) {
  write_file(home_ / "lines/a.jsonl", "");
  write_file(home_ / "lines/b.jsonl", "");
  start();
  std::ofstream a(home_ / "lines/a.jsonl", std::ios::app);
  std::ofstream b(home_ / "lines/b.jsonl", std::ios::app);
  std::size_t room = 16'384;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> room;
  ASSERT_LT(room, 1'000'000u);
  for (std::size_t i = 0; i < room; ++i)  // alternates two files: inotify merges equal consecutive events
    a << "1\n" << std::flush, b << "1\n" << std::flush;
  EXPECT_TRUE(until([&] { return rescans_ > 0; }));
}

}  // namespace
}  // namespace memd

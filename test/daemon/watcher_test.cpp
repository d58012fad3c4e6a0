#include "daemon/ingest/discovery.hpp"
#include "daemon/watch/inotify_watcher.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <set>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::write_file;

class WatcherTest : public testing::Test {
 protected:
  void start() {
    watcher_ = make_watcher(loop_, discovery_,
                            {[this](const auto& path) { changed_.insert(path.string()); }, [this] { ++rescans_; }});
    watcher_->start();
  }
  // Runs the loop until `path` was reported, or the deadline passed.
  bool reported(const std::filesystem::path& path) {
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    while (!changed_.contains(path.string()) && std::chrono::steady_clock::now() < deadline)
      loop_.run_one_until(deadline);
    return changed_.contains(path.string());
  }
  void TearDown() override {
    if (!watcher_) return;
    watcher_->stop();
    loop_.restart();
    loop_.run();  // ends: no work is left behind
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

}  // namespace
}  // namespace memd

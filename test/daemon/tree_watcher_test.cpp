// The watcher for systems without inotify, run on this one.
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/polling_watcher.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::write_file;
using testing::HasSubstr;

struct RungByHand final : ChangeBell {
  void start(std::function<void()> rang) override { ring = std::move(rang); }
  void hear(const std::vector<std::filesystem::path>& paths) override { heard = {paths.begin(), paths.end()}; }
  void stop() override { ring = nullptr; }

  std::function<void()> ring;
  std::set<std::filesystem::path> heard;
};

class TreeWatcherTest : public testing::Test {
 protected:
  void start() {
    WatchOptions options;
    options.only_poll = true;
    options.poll_interval = 1ms;
    watcher_ = make_watcher(loop_, discovery_, callbacks(), options);
    watcher_->start();
  }
  Watcher::Callbacks callbacks() {
    return {[this](const SourceCandidate& source, const auto&) { told_.insert(source.path); },
            [this](const auto& path) { told_.insert(path.string()); }, [] { FAIL() << "a rescan"; }};
  }
  // Runs the loop until `file` is reported, for at most 5 s.
  bool is_told(const std::filesystem::path& file) {
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    while (!told_.contains(file.string()) && std::chrono::steady_clock::now() < deadline)
      loop_.run_one_until(deadline);
    return told_.contains(file.string());
  }
  void TearDown() override {
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
  std::set<std::string> told_;
};

TEST_F(TreeWatcherTest, TellsOfWhatIsNewChangedReplacedAndGone) {
  const auto old = home_ / "lines/old.jsonl";
  const auto file = home_ / "lines/a.jsonl";
  write_file(old, "one\n");
  write_file(file, "one\n");
  start();
  test::append_file(file, "two\n");
  EXPECT_TRUE(is_told(file));
  EXPECT_FALSE(told_.contains(old.string())) << "what stands there at the start is no news";

  const auto deep = home_ / "lines/new/deep/b.jsonl";
  write_file(deep, "one\n");
  EXPECT_TRUE(is_told(deep));

  told_.clear();
  write_file(home_ / "lines/c.tmp", "two\n");  // the same size
  std::filesystem::rename(home_ / "lines/c.tmp", old);
  EXPECT_TRUE(is_told(old));

  told_.clear();
  std::filesystem::remove(file);
  EXPECT_TRUE(is_told(file));
}

TEST_F(TreeWatcherTest, ARootThatComesLater) {
  start();
  const auto file = home_ / "lines/a.jsonl";
  write_file(file, "one\n");
  EXPECT_TRUE(is_told(file));
  EXPECT_THAT(watcher_->describe(), HasSubstr("polling every"));
}

TEST_F(TreeWatcherTest, ABellBringsTheNextLookNearer) {
  const auto file = home_ / "lines/a.jsonl";
  write_file(file, "one\n");
  auto owned = std::make_unique<RungByHand>();
  RungByHand& bell = *owned;
  watcher_ = std::make_unique<TreeWatcher>(loop_, discovery_, callbacks(), 1h, "", std::move(owned));
  watcher_->start();
  EXPECT_THAT(bell.heard, testing::IsSupersetOf({file, home_ / "lines"}));
  test::append_file(file, "two\n");
  bell.ring();
  EXPECT_TRUE(is_told(file));

  const auto deep = home_ / "lines/new/b.jsonl";
  write_file(deep, "one\n");
  bell.ring();
  EXPECT_TRUE(is_told(deep));
  EXPECT_THAT(bell.heard, testing::IsSupersetOf({deep, deep.parent_path()}));
}

}  // namespace
}  // namespace memd

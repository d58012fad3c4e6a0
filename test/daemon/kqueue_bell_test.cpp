// The watcher of macOS, whole, over a stand-in for kqueue.
#include "daemon/ingest/kqueue_bell.hpp"

#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/polling_watcher.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace memd {
namespace {

using namespace std::chrono_literals;

class KqueueBell : public testing::Test {
 protected:
  // Runs the loop until the condition holds, for at most 5 s.
  template <class Condition>
  bool comes(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    while (!condition() && std::chrono::steady_clock::now() < deadline)
      loop_.run_one_until(deadline);
    return condition();
  }
  void run_out_of_work() {
    loop_.restart();
    loop_.run();
  }

  test::TempDir home_;
  boost::asio::io_context loop_{1};
};

TEST_F(KqueueBell, RingsForFilesDirectoriesAndWhatReplacesThem) {
  const auto work = boost::asio::make_work_guard(loop_);
  const auto file = home_ / "lines/a.jsonl";
  test::write_file(file, "one\n");
  int rung = 0;
  const auto bell = make_kqueue_bell(loop_);
  bell->start([&] { ++rung; });
  bell->hear({file, home_ / "lines", home_ / "missing"});
  const auto rings = [&](int before) { return comes([&] { return rung > before; }); };

  test::append_file(file, "two\n");
  EXPECT_TRUE(rings(0));
  int before = rung;
  test::write_file(home_ / "lines/b.jsonl", "one\n");
  EXPECT_TRUE(rings(before));

  test::write_file(home_ / "other", "another\n");
  std::filesystem::rename(home_ / "other", file);
  bell->hear({file});
  loop_.poll();
  before = rung;
  test::append_file(file, "three\n");
  EXPECT_TRUE(rings(before)) << "the file of that name is another one";
  bell->stop();
}

TEST_F(KqueueBell, StopsAtOnceAndLeavesNothingOnTheLoop) {
  const auto bell = make_kqueue_bell(loop_);
  bell->start([] { FAIL() << "nothing has changed"; });
  bell->hear({home_.path()});
  test::write_file(home_ / "a", "one\n");
  bell->stop();
  bell->stop();
  run_out_of_work();
}

TEST_F(KqueueBell, BringsTheLooksOfAWatcherNearer) {
  test::LineAdapter adapter;
  std::array<const Adapter*, 1> adapters{&adapter};
  const Discovery discovery{adapters, home_.path(), {}, {}};
  const auto file = home_ / "lines/a.jsonl";
  test::write_file(file, "one\n");
  std::set<std::string> told;
  TreeWatcher watcher(loop_, discovery,
                      {[&](const SourceCandidate& source, const auto&) { told.insert(source.path); },
                       [&](const auto& path) { told.insert(path.string()); }, [] { FAIL() << "a rescan"; }},
                      1h, "", make_kqueue_bell(loop_));
  watcher.start();
  test::append_file(file, "two\n");
  EXPECT_TRUE(comes([&] { return told.contains(file.string()); }));
  const auto deep = home_ / "lines/new/b.jsonl";
  test::write_file(deep, "one\n");
  EXPECT_TRUE(comes([&] { return told.contains(deep.string()); }));
  watcher.stop();
  run_out_of_work();
}

}  // namespace
}  // namespace memd

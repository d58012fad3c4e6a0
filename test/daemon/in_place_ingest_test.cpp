// Full ingest of sources that change in place.
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "store/read/exchanges.hpp"
#include "store/reader.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/in_place_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <mutex>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::ScriptedSource;

// A monotonic clock that moves only when advanced.
class FakeSteady {
 public:
  std::chrono::steady_clock::time_point now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void advance(std::chrono::milliseconds by) {
    const std::lock_guard lock(mutex_);
    now_ += by;
  }

 private:
  mutable std::mutex mutex_;
  std::chrono::steady_clock::time_point now_{1h};
};

class InPlaceIngestTest : public testing::Test {
 protected:
  InPlaceIngestTest() : adapter_(source_), adapters_{&adapter_}, discovery_(adapters_, home_.path(), {}, {}) {
    test::write_file(file_, "stands for the source");
    options_.snapshot = {64, 4096, 2};
    options_.pass_pause = {0ms, 0ms};
    options_.busy_retry = 1ms;
    options_.retry_after_error = 20ms;
  }
  void start() {
    service_.reset();
    auto writer = Writer::open(store_ / "memd.db", clock_);
    ASSERT_TRUE(writer) << writer.error().message();
    service_ = std::make_unique<IngestService>(discovery_, clock_, options_);
    ASSERT_TRUE(service_->start(std::move(*writer)));
    service_->scan();
  }
  void look() {
    service_->hint(file_);
    ASSERT_TRUE(service_->block_until_idle(20s));
  }
  void talk(int n) {
    const std::string i = std::to_string(n);
    source_.add("s1", "u" + i, "user;text=question " + i + ";at=" + i);
    source_.add("s1", "a" + i, "answer;text=answer " + i + ";response=r" + i + ";out=" + i);
  }
  std::string text(const std::string& sql) {
    auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    return q.step() ? (q.is_null(0) ? "NULL" : q.str(0)) : "(no row)";
  }
  std::int64_t number(const std::string& sql) { return std::stoll(text(sql)); }
  void expect_as_read_at_once() {
    test::InPlaceStore fresh(source_);
    fresh.sync();
    auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_write);
    test::check_full_text_index(db);
    auto have = test::dump_store(db);
    for (auto& row : have)
      if (const auto at = row.find(file_.string()); at != std::string::npos)
        row.replace(at, file_.string().size(), "/script.db");
    EXPECT_EQ(have, fresh.dump());
  }

  ScriptedSource source_;
  test::ScriptedAdapter adapter_;
  std::vector<const Adapter*> adapters_;
  test::TempDir home_;
  test::TempDir store_;
  std::filesystem::path file_ = home_ / "scripted/script.db";
  test::FakeClock clock_;
  IngestOptions options_;
  Discovery discovery_;
  std::unique_ptr<IngestService> service_;
};

TEST_F(InPlaceIngestTest, GrowsAndChangesWhileItIsWatched) {
  talk(1);
  start();
  look();
  for (int n = 2; n < 12; ++n) {
    talk(n);
    look();
    source_.set("s1", "a" + std::to_string(n), "answer;text=answer, longer;response=r" + std::to_string(n) + ";out=9");
    look();
    if (n % 4 == 0) start();
  }
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 11);
  expect_as_read_at_once();
  const auto progress = service_->progress().freshness();
  ASSERT_EQ(progress.size(), 1u);
  EXPECT_EQ(progress[0].sources_behind, 0);
  EXPECT_EQ(service_->progress().snapshot().bytes_done, source_.size());
}

TEST_F(InPlaceIngestTest, CommitsAndPullRequestsAreTakenBackWithTheirEvents) {
  const std::string created = "tool;id=p2;tool=Bash;input=gh pr create --fill;text=https://github.com/o/r/pull/";
  const std::string committed = "tool;id=c2;tool=Bash;input=git commit -m x;text=[main ";
  talk(1);
  source_.add("s1", "c1", "tool;id=c1;tool=Bash;input=git commit -m x;text=[main 1a2b3c4] First");
  talk(2);
  source_.add("s1", "c2", committed + "1a2b3c5] Second");
  source_.add("s1", "p2", created + "5");
  start();
  look();
  EXPECT_EQ(text("SELECT group_concat(sha) FROM commits"), "1a2b3c4,1a2b3c5");
  EXPECT_EQ(text("SELECT url FROM pull_requests"), "https://github.com/o/r/pull/5");
  source_.set("s1", "c2", committed + "1a2b3c6] Second, mended");
  source_.set("s1", "p2", created + "6");
  look();
  EXPECT_EQ(text("SELECT group_concat(sha) FROM commits"), "1a2b3c4,1a2b3c6");
  EXPECT_EQ(text("SELECT group_concat(url) FROM pull_requests"), "https://github.com/o/r/pull/6");
  expect_as_read_at_once();
}

TEST_F(InPlaceIngestTest, ARestartReadsAndWritesNothing) {
  talk(1);
  start();
  look();
  const int items = source_.counts().items;
  start();
  look();
  EXPECT_EQ(source_.counts().items, items);
  EXPECT_EQ(service_->progress().snapshot().commits, 0u);
}

TEST_F(InPlaceIngestTest, ABusySourceIsLookedAtAgainByItself) {
  talk(1);
  start();
  look();
  talk(2);
  source_.be_busy(5);
  look();  // one hint; the reader retries by itself
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 2);
  EXPECT_EQ(number("SELECT state FROM sources"), static_cast<int>(SourceState::active));
  expect_as_read_at_once();
}

TEST_F(InPlaceIngestTest, ASourceThatChangesAllTheTimeIsPassedOverNoOftenerThanItsPauseAllows) {
  FakeSteady steady;
  options_.steady_now = [&] { return steady.now(); };
  options_.pass_pause = {200ms, 200ms};
  options_.snapshot = {};  // one slice per pass
  talk(1);
  start();
  while (source_.counts().plans < 1)
    std::this_thread::yield();
  int changes = 1;
  for (int tick = 0; tick < 100; ++tick) {  // two seconds, with a change every 20 ms
    talk(++changes);
    service_->hint(file_);
    steady.advance(20ms);
  }
  // If a pass was running when the clock stopped, the time advances until the next one is due, too.
  for (int pause = 0; pause < 100 && !service_->block_until_idle(100ms); ++pause) {
    steady.advance(200ms);
    service_->hint(home_ / "elsewhere");  // wakes the reader, as its timer would
  }
  ASSERT_TRUE(service_->block_until_idle(20s));
  EXPECT_LE(source_.counts().plans, 12);
  EXPECT_GE(source_.counts().plans, 2);
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), changes) << "the last change is always read";
}

TEST_F(InPlaceIngestTest, AHugeSourceDelaysNobody) {
  for (int n = 1; n < 400; ++n)
    talk(n);
  const auto log = home_ / "scripted/small.jsonl";
  test::write_file(log, "user;text=small and late;key=1\n");
  start();
  ASSERT_TRUE(service_->block_until_idle(60s));
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 400);
  EXPECT_LE(number("SELECT x.exchange_pk FROM exchanges x JOIN sessions s USING (session_pk)"
                   " WHERE s.uid = 'thunderus:small'"),
            10)
      << "the small file had to wait for the huge one";
}

// A session in two sources: when one source takes back events of the other, they are read again.
TEST_F(InPlaceIngestTest, WhatAnotherSourceGaveOfTheSameSessionIsNotLost) {
  talk(1);
  start();
  look();
  const auto log = home_ / "scripted/s1.jsonl";
  test::write_file(log, "user;text=from the log;key=L1\nanswer;text=logged;key=L2\n");
  service_->hint(log);
  ASSERT_TRUE(service_->block_until_idle(20s));
  ASSERT_EQ(number("SELECT count(*) FROM exchanges"), 2);

  source_.set("s1", "a1", "answer;text=better;response=r1;out=8");
  look();
  EXPECT_EQ(text("SELECT group_concat(user_message || ': ' || assistant_response, ' / ') FROM"
                 " (SELECT * FROM exchanges ORDER BY exchange_number)"),
            "question 1: better / from the log: logged");
  EXPECT_EQ(number("SELECT count(*) FROM sources o WHERE cursor <> size OR cursor <> (SELECT sum(bytes) FROM coverage c"
                   " WHERE c.source_pk = o.source_pk)"),
            0);
  test::append_file(log, "user;text=more;key=L3\n");
  service_->hint(log);
  talk(2);
  look();
  EXPECT_EQ(number("SELECT turns FROM sessions"), 4);
}

TEST_F(InPlaceIngestTest, WhatASourceGaveThatIsGoneIsNotTakenBack) {
  talk(1);
  start();
  look();
  const auto log = home_ / "scripted/s1.jsonl";
  test::write_file(log, "user;text=from the log;key=L1\nanswer;text=logged;key=L2\n");
  service_->hint(log);
  ASSERT_TRUE(service_->block_until_idle(20s));
  std::filesystem::remove(log);
  service_->hint(log);
  ASSERT_TRUE(service_->block_until_idle(20s));

  source_.set("s1", "a1", "answer;text=better;response=r1;out=8");
  talk(2);
  look();
  EXPECT_EQ(number("SELECT count(*) FROM exchanges WHERE user_message = 'from the log'"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM exchanges WHERE user_message = 'question 2'"), 1);
  EXPECT_EQ(number("SELECT sum(bytes) FROM coverage c JOIN sources USING (source_pk) WHERE path LIKE '%.db'"),
            static_cast<std::int64_t>(source_.size()));
}

TEST_F(InPlaceIngestTest, AStoreWithoutRoomGoesOnWhenThereIsSome) {
  talk(1);
  start();
  look();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  for (int n = 2; n < 40; ++n)
    talk(n);
  source_.set("s1", "a1", "answer;text=changed;response=r1;out=8");
  service_->hint(file_);
  while (service_->progress().snapshot().last_error.empty())
    std::this_thread::yield();
  const std::string refusal = service_->progress().snapshot().last_error;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(refusal,
              testing::HasSubstr((store_ / "memd.db").string() + ": File too large, the limit of `ulimit -f`"));
  ASSERT_TRUE(service_->block_until_idle(60s));
  EXPECT_EQ(service_->progress().snapshot().last_error, "");
  expect_as_read_at_once();
}

TEST_F(InPlaceIngestTest, TheWholeTextOfAnEventIsReadFromItsItem) {
  talk(1);
  source_.add("s1", "t1", "tool;id=t1;tool=Bash;input=ls;text=a b c");
  start();
  look();
  Reader reader(store_ / "memd.db");
  const auto where = reader.ask(EventSourceQuery{number("SELECT session_pk FROM sessions"), 2});
  ASSERT_TRUE(where) << where.error().message();
  EXPECT_EQ(where->item_key, "t1");
  const auto whole = read_item_text(adapter_, *where, EventKind::tool_call);
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_EQ(*whole, "tool;id=t1;tool=Bash;input=ls;text=a b c;key=t1");
  source_.change("s1", [](auto& s) { s.items.pop_back(); });
  const auto gone = read_item_text(adapter_, *where, EventKind::tool_call);
  ASSERT_FALSE(gone);
  EXPECT_TRUE(gone.error().is(Errc::not_found));
}

}  // namespace
}  // namespace memd

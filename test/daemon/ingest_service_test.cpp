#include "daemon/ingest/ingest_service.hpp"
#include "schemas/base/error.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <future>
#include <thread>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::append_file;
using test::TempDir;
using test::write_file;

std::string user_line(int n, std::string_view text) {
  const std::string uuid =
      "00000000-0000-4000-8000-" + std::string(12 - std::to_string(n).size(), '0') + std::to_string(n);
  return R"({"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":")" +
         std::string(text) + R"("},"uuid":")" + uuid +
         R"(","timestamp":"2026-02-09T06:01:53.253Z","userType":"external","cwd":"/w/p","sessionId":"s","version":"2.1.7","gitBranch":"main"})" +
         "\n";
}

class IngestServiceTest : public testing::Test {
 protected:
  IngestServiceTest() : discovery_(all_adapters(), home_.path(), {}, {}) {}

  void start() {
    auto writer = Writer::open(store_ / "memd.db", clock_);
    ASSERT_TRUE(writer) << writer.error().message();
    service_ = std::make_unique<IngestService>(discovery_, clock_);
    ASSERT_TRUE(service_->start(std::move(*writer)));
    service_->scan();
    ASSERT_TRUE(service_->block_until_idle(10s));
  }
  std::int64_t count(const char* sql) {
    auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
    auto& q = db.prepare(sql);
    q.bind();
    q.step();
    return q.int64(0);
  }

  TempDir home_;
  TempDir store_;
  test::FakeClock clock_;
  std::filesystem::path transcript_ = home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl";
  Discovery discovery_;
  std::unique_ptr<IngestService> service_;
};

TEST_F(IngestServiceTest, IsNotIdleBeforeItHasLooked) {
  write_file(transcript_, user_line(1, "first question"));
  auto writer = Writer::open(store_ / "memd.db", clock_);
  ASSERT_TRUE(writer);
  service_ = std::make_unique<IngestService>(discovery_, clock_);
  ASSERT_TRUE(service_->start(std::move(*writer)));
  service_->scan();
  const IngestSnapshot now = service_->progress().snapshot();
  EXPECT_TRUE(!now.idle || now.last_scan > 0);
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_TRUE(service_->progress().snapshot().idle);
}

TEST_F(IngestServiceTest, ReadsAtOnceAndAfterAHint) {
  write_file(transcript_, user_line(1, "first question"));
  start();
  EXPECT_EQ(count("SELECT count(*) FROM exchanges"), 1);
  append_file(transcript_, user_line(2, "second question"));
  service_->hint(transcript_);
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(count("SELECT count(*) FROM exchanges"), 2);
  EXPECT_EQ(service_->progress().snapshot().bytes_done, std::filesystem::file_size(transcript_));
}

TEST_F(IngestServiceTest, SecondRunWritesNothing) {
  write_file(transcript_, user_line(1, "first question"));
  start();
  service_.reset();
  start();
  EXPECT_EQ(service_->progress().snapshot().commits, 0u);
  EXPECT_EQ(service_->progress().snapshot().bytes_read, 0u);
}

TEST_F(IngestServiceTest, AHintForADirectoryFindsNewFiles) {
  start();
  write_file(transcript_, user_line(1, "question"));
  service_->hint(home_ / ".claude/projects");
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(count("SELECT count(*) FROM exchanges"), 1);
}

TEST_F(IngestServiceTest, AFileThatWentAwayIsKeptAndMarked) {
  write_file(transcript_, user_line(1, "question"));
  start();
  std::filesystem::remove(transcript_);
  service_->hint(transcript_);
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(count("SELECT count(*) FROM exchanges"), 1);
  EXPECT_EQ(count("SELECT state FROM sources"), static_cast<int>(SourceState::gone));
}

TEST_F(IngestServiceTest, DiagnosticsExpireWhileItRuns) {
  write_file(transcript_, "{\"torn\": \n" + user_line(1, "question"));
  start();
  ASSERT_GT(count("SELECT count(*) FROM diagnostics"), 0);
  clock_.advance(kDiagnosticRetention + 1);
  append_file(transcript_, user_line(2, "another question"));
  service_->hint(transcript_);
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(count("SELECT count(*) FROM diagnostics"), 0);
}

TEST_F(IngestServiceTest, WhatWasReadIsCommittedWhenStopped) {
  for (int i = 1; i <= 200; ++i)
    append_file(transcript_, user_line(i, "question " + std::to_string(i)));
  auto writer = Writer::open(store_ / "memd.db", clock_);
  ASSERT_TRUE(writer);
  service_ = std::make_unique<IngestService>(discovery_, clock_);
  ASSERT_TRUE(service_->start(std::move(*writer)));
  service_->scan();
  service_.reset();  // stops at a random moment
  const auto cursor = count("SELECT coalesce(sum(cursor), 0) FROM sources");
  EXPECT_EQ(count("SELECT coalesce(sum(bytes), 0) FROM coverage"), cursor);
  EXPECT_EQ(cursor == 0 ? 0 : 200, count("SELECT count(*) FROM exchanges"));
}

// The task may refer to the caller's stack.
TEST_F(IngestServiceTest, PerformReturnsOnlyWhenItsTaskHasEnded) {
  start();
  std::promise<void> began;
  std::promise<void> may_end;
  std::atomic<bool> ended{false};
  auto caller = std::async(std::launch::async, [&] {
    const auto done = service_->perform([&](Writer&) -> Result<void> {
      began.set_value();
      may_end.get_future().wait();
      ended = true;
      return {};
    });
    return done && ended;
  });
  began.get_future().wait();
  service_->stop();
  EXPECT_EQ(caller.wait_for(500ms), std::future_status::timeout);
  may_end.set_value();
  EXPECT_TRUE(caller.get());
}

TEST_F(IngestServiceTest, ATaskThatHasNotBegunWhenMemdStopsIsNeverRun) {
  start();
  std::promise<void> began;
  std::promise<void> may_end;
  std::atomic<bool> was_run{false};
  auto first = std::async(std::launch::async, [&] {
    return service_->perform([&](Writer&) -> Result<void> {
      began.set_value();
      may_end.get_future().wait();
      return {};
    });
  });
  began.get_future().wait();
  auto second = std::async(std::launch::async, [&] {
    return service_->perform([&](Writer&) -> Result<void> {
      was_run = true;
      return {};
    });
  });
  service_->stop();
  may_end.set_value();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get().error().is(Errc::cancelled));
  EXPECT_TRUE(service_->perform([](Writer&) -> Result<void> { return {}; }).error().is(Errc::cancelled));
  service_.reset();
  EXPECT_FALSE(was_run);
}

// Slices that follow a rejected slice are not written without it.
TEST_F(IngestServiceTest, StoppedWhileTheStoreRefusesASliceItLeavesNoHole) {
  write_file(transcript_, user_line(1, "first question"));
  start();
  service_.reset();
  for (int i = 2; i <= 200; ++i)
    append_file(transcript_, user_line(i, "question " + std::to_string(i)));
  IngestOptions options;
  options.tailer.slice_bytes = 1024;
  options.commit_bytes = 1;
  options.retry_after_error = 60s;
  auto writer = Writer::open(store_ / "memd.db", clock_);
  ASSERT_TRUE(writer);
  service_ = std::make_unique<IngestService>(discovery_, clock_, options);
  ASSERT_TRUE(service_->start(std::move(*writer)));

  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  service_->scan();
  while (service_->progress().snapshot().last_error.empty())
    std::this_thread::yield();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  service_.reset();
  EXPECT_EQ(count("SELECT sum(bytes) FROM coverage"), count("SELECT sum(cursor) FROM sources"));

  start();
  EXPECT_EQ(count("SELECT count(*) FROM exchanges"), 200);
  EXPECT_EQ(count("SELECT sum(bytes) FROM coverage"), count("SELECT sum(cursor) FROM sources"));
}

// Prevents this process from opening file descriptors while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = 3;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(IngestServiceTest, WhatTheProcessLacksIsNoFailureOfTheSources) {
  write_file(transcript_, user_line(1, "first question"));
  start();
  append_file(transcript_, user_line(2, "second question"));
  write_file(home_ / ".claude/projects/-w-p/22222222-1111-4111-8111-111111111111.jsonl", user_line(3, "third"));
  {
    const NoDescriptors none;
    service_->scan();
    ASSERT_TRUE(service_->block_until_idle(10s));
  }
  const IngestSnapshot shortage = service_->progress().snapshot();
  EXPECT_GE(shortage.sources_short, 2u) << "a directory and a file";
  EXPECT_NE(shortage.shortage.find("Too many open files"), std::string::npos) << shortage.shortage;
  EXPECT_EQ(count("SELECT count(*) FROM sources WHERE failures > 0 OR state <> 0"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM ingestion_log WHERE what NOT IN ('found', 'read')"), 0);
  service_->scan();
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(service_->progress().snapshot().sources_short, 0u);
  EXPECT_EQ(count("SELECT count(*) FROM exchanges"), 3);
}

TEST_F(IngestServiceTest, AStoreThatIsTakenAwayIsNoticedAndWhatWasReadThenIsNotLost) {
  write_file(transcript_, user_line(1, "first question"));
  IngestOptions options;
  options.retry_after_error = 1ms;
  const auto data = store_ / "data";
  std::filesystem::create_directory(data);
  auto writer = Writer::open(data / "memd.db", clock_);
  ASSERT_TRUE(writer);
  service_ = std::make_unique<IngestService>(discovery_, clock_, options);
  ASSERT_TRUE(service_->start(std::move(*writer)));
  service_->scan();
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(service_->trouble(), "");

  std::filesystem::rename(data, store_ / "elsewhere");
  EXPECT_NE(service_->trouble().find("was removed"), std::string::npos);
  testing::internal::CaptureStdout();  // the log goes to stdout by default
  append_file(transcript_, user_line(2, "second question"));
  service_->hint(transcript_);
  while (service_->progress().trouble().empty())
    std::this_thread::yield();
  const bool done = service_->block_until_idle(20ms);
  const auto behind = [&] { return service_->progress().freshness().front().bytes_behind; };
  for (int i = 0; behind() == 0 && i < 1000; ++i)  // until the line has been noticed
    service_->block_until_idle(10ms);
  const auto left = behind();
  std::filesystem::rename(store_ / "elsewhere", data);
  const bool caught_up = service_->block_until_idle(40s);
  const std::string log = testing::internal::GetCapturedStdout();
  EXPECT_FALSE(done);
  EXPECT_GT(left, 0);
  ASSERT_TRUE(caught_up);
  const auto first = log.find("the store refuses what is written");
  EXPECT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find("the store refuses what is written", first + 1), std::string::npos) << "told once";
  EXPECT_NE(log.find("takes what is written again"), std::string::npos);
  EXPECT_EQ(service_->trouble(), "");
  auto db = sqlite::Database::open(data / "memd.db", sqlite::OpenMode::read_only);
  sqlite::Statement q(db.handle(), "SELECT count(*) FROM exchanges");
  ASSERT_TRUE(q.step());
  EXPECT_EQ(q.int64(0), 2);
}

// Counts its calls of classify().
class CountingAdapter final : public test::LineAdapter {
 public:
  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override {
    ++asked;
    return LineAdapter::classify(root, file);
  }
  mutable std::atomic<int> asked{0};
};

class OpenCounter {
 public:
  explicit OpenCounter(const std::filesystem::path& file) : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    // inotify merges equal consecutive events; other events between two opens keep them apart.
    EXPECT_GE(::inotify_add_watch(fd_, file.c_str(), IN_OPEN | IN_ACCESS | IN_CLOSE), 0);
  }
  ~OpenCounter() { ::close(fd_); }
  OpenCounter(const OpenCounter&) = delete;
  OpenCounter& operator=(const OpenCounter&) = delete;

  int times() {
    alignas(8) std::array<char, 4096> events;
    const ssize_t n = ::read(fd_, events.data(), events.size());
    int times = 0;
    for (ssize_t at = 0; at < n;) {
      const auto& event = *reinterpret_cast<const inotify_event*>(events.data() + at);
      times += (event.mask & IN_OPEN) != 0 ? 1 : 0;
      at += static_cast<ssize_t>(sizeof(inotify_event) + event.len);
    }
    return times;
  }

 private:
  int fd_;
};

TEST_F(IngestServiceTest, ALookClassifiesAPathOnceAndOpensAFileOnce) {
  const CountingAdapter lines;
  const std::array<const Adapter*, 1> adapters{&lines};
  discovery_ = Discovery(adapters, home_.path(), {}, {});
  const auto file = home_ / "lines/a.jsonl";
  write_file(file, "one\n");
  start();
  EXPECT_EQ(lines.asked, 1);
  service_->scan();
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(lines.asked, 2) << "a source that was found again";
  append_file(file, "two\n");
  service_->hint(file);
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(lines.asked, 2) << "a source that is known";
  const auto fresh = home_ / "lines/b.jsonl";
  write_file(fresh, "three\n");
  OpenCounter opened(fresh);
  service_->hint(fresh);
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_EQ(lines.asked, 3) << "a source that is new";
  EXPECT_EQ(opened.times(), 1);
  EXPECT_EQ(count("SELECT count(*) FROM exchanges"), 3);
}

}  // namespace
}  // namespace memd

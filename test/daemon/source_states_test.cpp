// Full ingest of sources that vanish, are unreachable or cannot be read.
#include "daemon/ingest/ingest_service.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/faulty_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <set>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::append_file;
using test::write_file;
namespace fs = std::filesystem;

class SourceStates : public testing::Test {
 protected:
  void start() {
    auto writer = Writer::open(store_ / "memd.db", clock());
    ASSERT_TRUE(writer) << writer.error().message();
    options_.stat_path = [this](const fs::path& path) {
      PathStat look = stat_path(path);
      if (refused_.contains(path.string())) look.error = EACCES;
      if (absent_.contains(path.string())) look.error = ENOENT;
      look.device += device_shift_;
      return look;
    };
    service_ = std::make_unique<IngestService>(discovery_, clock(), options_);
    if (on_commit_) service_->on_commit(on_commit_);
    ASSERT_TRUE(service_->start(std::move(*writer)));
    scan();
  }
  void restart() {
    service_.reset();
    start();
  }
  void scan() {
    service_->scan();
    ASSERT_TRUE(service_->block_until_idle(10s));
  }
  void hint(const fs::path& path) {
    service_->hint(path);
    ASSERT_TRUE(service_->block_until_idle(10s));
  }
  std::string value(const std::string& sql) {
    auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
    auto& q = db.prepare(sql);
    q.bind();
    return q.step() ? q.str(0) : "(none)";
  }
  std::string state_of(const fs::path& file) {
    return value("SELECT state FROM sources WHERE path = '" + file.string() + "'");
  }
  std::string log_of(const fs::path& file) {
    return value(
        "SELECT group_concat(what, ' ') FROM (SELECT what FROM ingestion_log JOIN sources USING (source_pk)"
        " WHERE path = '" +
        file.string() + "' ORDER BY log_pk)");
  }
  std::int64_t times_opened(const std::string& name) {
    const auto opened = adapter_.opened();
    return std::count(opened.begin(), opened.end(), name);
  }
  virtual const Clock& clock() const { return clock_; }

  test::TempDir home_;
  test::TempDir store_;
  test::FakeClock clock_;
  test::FaultyAdapter adapter_;
  std::array<const Adapter*, 1> adapters_{&adapter_};
  Discovery discovery_{adapters_, home_.path(), {}, {}};
  IngestOptions options_;
  std::function<void()> on_commit_;
  std::set<std::string> refused_;
  std::set<std::string> absent_;
  std::uint64_t device_shift_ = 0;
  fs::path file_ = home_ / "lines/sub/a.jsonl";
  fs::path bad_ = home_ / "lines/bad.jsonl";
  std::unique_ptr<IngestService> service_;
};

constexpr const char* kActive = "0";
constexpr const char* kGone = "1";
constexpr const char* kUnreachable = "2";
constexpr const char* kQuarantined = "3";

TEST_F(SourceStates, GoneAndBackUnchanged) {
  write_file(file_, "one\n");
  start();
  fs::rename(file_, home_ / "elsewhere");
  hint(file_);
  EXPECT_EQ(state_of(file_), kGone);
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "1") << "what was read stays";
  EXPECT_TRUE(service_->progress().freshness().front().bytes_behind == 0);
  fs::rename(home_ / "elsewhere", file_);
  hint(file_);
  EXPECT_EQ(state_of(file_), kActive);
  EXPECT_EQ(value("SELECT state_reason FROM sources"), "");
  EXPECT_EQ(log_of(file_), "found read gone back");
}

TEST_F(SourceStates, ADirectoryDeletedWithItsFilesMeansGone) {
  write_file(file_, "one\n");
  write_file(home_ / "lines/b.jsonl", "two\n");
  start();
  fs::remove_all(file_.parent_path());
  hint(file_.parent_path());
  EXPECT_EQ(state_of(file_), kGone);
  EXPECT_EQ(state_of(home_ / "lines/b.jsonl"), kActive);
}

TEST_F(SourceStates, ARootThatIsNotThereMeansUnreachable) {
  write_file(file_, "one\n");
  start();
  fs::rename(home_ / "lines", home_ / "unmounted");
  hint(home_ / "lines");
  EXPECT_EQ(state_of(file_), kUnreachable);
  EXPECT_NE(value("SELECT state_reason FROM sources").find("is not there"), std::string::npos);
  restart();
  EXPECT_EQ(state_of(file_), kUnreachable) << "also after a restart, and still not gone";
  fs::rename(home_ / "unmounted", home_ / "lines");
  append_file(file_, "two\n");
  hint(home_ / "lines");
  EXPECT_EQ(state_of(file_), kActive);
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "2");
  EXPECT_EQ(log_of(file_), "found read unreachable back appended");
}

TEST_F(SourceStates, ADirectoryThatCannotBeListedMeansUnreachable) {
  write_file(file_, "one\n");
  start();
  fs::remove(file_);  // looks the same to a process without permission for the directory
  refused_ = {file_.parent_path().string()};
  hint(file_);
  EXPECT_EQ(state_of(file_), kUnreachable);
  EXPECT_EQ(value("SELECT state_reason FROM sources"), file_.parent_path().string() + ": Permission denied");
}

TEST_F(SourceStates, AnotherFileSystemInItsPlaceMeansUnreachable) {
  write_file(file_, "one\n");
  start();
  fs::remove(file_);
  device_shift_ = 1;
  hint(file_);
  EXPECT_EQ(state_of(file_), kUnreachable);
}

TEST_F(SourceStates, AFileSystemThatOnlyChangedItsNumberIsKnownByItsOtherFiles) {
  write_file(file_, "one\n");
  write_file(home_ / "lines/sub/b.jsonl", "two\n");
  start();
  fs::remove(file_);
  device_shift_ = 1;
  hint(file_);
  EXPECT_EQ(state_of(file_), kGone);
}

TEST_F(SourceStates, FailingAgainAndAgainMeansQuarantineAndTheFirstSuccessEndsIt) {
  write_file(bad_, "one\n");
  write_file(file_, "one\n");
  adapter_.broken = true;
  start();
  EXPECT_EQ(state_of(bad_), kActive) << "once may be an accident";
  EXPECT_EQ(value("SELECT failures FROM sources WHERE path LIKE '%bad%'"), "1");
  EXPECT_EQ(value("SELECT cursor FROM sources WHERE path LIKE '%bad%'"), "0");
  EXPECT_EQ(service_->progress().freshness().front().sources_behind, 1);
  scan();
  EXPECT_EQ(times_opened("bad.jsonl"), 1) << "left alone until its time";
  for (const TimeMs delay : {1000, 2000, 4000}) {
    clock_.advance(delay - 1);
    scan();
    const auto before = times_opened("bad.jsonl");
    clock_.advance(1);
    scan();
    EXPECT_EQ(times_opened("bad.jsonl"), before + 1) << delay;
  }
  EXPECT_EQ(state_of(bad_), kActive);
  clock_.advance(8000);
  scan();
  EXPECT_EQ(state_of(bad_), kQuarantined);
  EXPECT_EQ(value("SELECT state_reason FROM sources WHERE state = 3"), "reading it failed: nobody thought of this");

  restart();
  const auto before = times_opened("bad.jsonl");
  scan();
  EXPECT_EQ(times_opened("bad.jsonl"), before) << "the time to wait outlives a restart";
  append_file(file_, "two\n");
  hint(file_);
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "2") << "others are none the worse";

  adapter_.broken = false;
  clock_.advance(16'000);
  hint(bad_);
  EXPECT_EQ(state_of(bad_), kActive);
  EXPECT_EQ(value("SELECT failures || ' ' || retry_at FROM sources WHERE path LIKE '%bad%'"), "0 0");
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "3");
  EXPECT_EQ(log_of(bad_), "found quarantined released read");
}

TEST_F(SourceStates, AHintCutsTheWaitToItsFirstSecond) {
  write_file(bad_, "one\n");
  adapter_.broken = true;
  start();
  for (int i = 0; i < 6; ++i) {
    clock_.advance(3'600'000);
    scan();
  }
  EXPECT_EQ(state_of(bad_), kQuarantined);
  const auto before = times_opened("bad.jsonl");
  append_file(bad_, "two\n");
  hint(bad_);
  clock_.advance(999);
  hint(bad_);
  EXPECT_EQ(times_opened("bad.jsonl"), before);
  adapter_.broken = false;
  clock_.advance(1);
  hint(file_);  // for another file: the retry is due by itself
  EXPECT_EQ(state_of(bad_), kActive);
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "2");
}

TEST_F(SourceStates, AClockThatWasOnceWrongSilencesNothing) {
  write_file(bad_, "one\n");
  adapter_.broken = true;
  clock_.advance(5 * 365 * kMsPerDay);
  start();
  EXPECT_EQ(value("SELECT failures FROM sources"), "1");
  adapter_.broken = false;
  clock_.advance(-5 * 365 * kMsPerDay);
  restart();
  EXPECT_EQ(value("SELECT count(*) || ' ' || max(failures) || ' ' || max(retry_at) FROM sources, exchanges"), "1 0 0");
  EXPECT_EQ(state_of(bad_), kActive);
}

TEST_F(SourceStates, AClockThatIsPutRightEndsTheWaitsThatRun) {
  write_file(bad_, "one\n");
  adapter_.broken = true;
  clock_.advance(5 * 365 * kMsPerDay);
  start();
  adapter_.broken = false;
  clock_.advance(-5 * 365 * kMsPerDay);
  hint(file_);
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "1");
}

TEST_F(SourceStates, AnotherYearInTheStoreIsNoWait) {
  write_file(bad_, "one\n");
  adapter_.broken = true;
  start();
  service_.reset();
  sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_write)
      .exec("UPDATE sources SET failures = 3, retry_at = 1924992000000");
  adapter_.broken = false;
  start();
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "1");
}

TEST_F(SourceStates, WaitingNeverTakesLongerThanAnHour) {
  const BackOff back_off;
  EXPECT_EQ(back_off.delay(1), 1000);
  EXPECT_EQ(back_off.delay(12), 2'048'000);
  EXPECT_EQ(back_off.delay(13), 3'600'000);
  EXPECT_EQ(back_off.delay(4'000'000'000u), 3'600'000);
}

class SourceStatesInTime : public SourceStates {
 protected:
  const Clock& clock() const override { return system_clock(); }
};

// Without a hint, the reader wakes by itself when the retry is due. By then the cause is gone.
TEST_F(SourceStatesInTime, ADueRetryWakesTheReader) {
  options_.back_off.first = 5;
  write_file(bad_, "one\n");
  adapter_.broken = true;
  std::promise<void> read;
  on_commit_ = [this, &read, told = false]() mutable {
    if (times_opened("bad.jsonl") >= 3) adapter_.broken = false;
    if (!told && value("SELECT count(*) FROM exchanges") == "1") told = true, read.set_value();
  };
  start();
  EXPECT_EQ(read.get_future().wait_for(10s), std::future_status::ready);
  service_.reset();
  EXPECT_EQ(state_of(bad_), kActive);
}

TEST_F(SourceStates, TheLogIsBoundedWhateverIsAppended) {
  write_file(file_, "first\n");
  start();
  for (int i = 0; i < 50; ++i) {
    append_file(file_, "line " + std::to_string(i) + "\n");
    hint(file_);
  }
  EXPECT_EQ(log_of(file_), "found read");
  clock_.advance(60'000);
  append_file(file_, "one more\n");
  hint(file_);
  EXPECT_EQ(log_of(file_), "found read appended");
  EXPECT_EQ(value("SELECT bytes || ' ' || events FROM ingestion_log WHERE what = 'appended'"),
            std::to_string(fs::file_size(file_) - 6) + " 51");
  write_file(file_, "new\n");
  hint(file_);
  EXPECT_EQ(log_of(file_), "found read appended restarted");
  service_.reset();
  EXPECT_EQ(log_of(file_), "found read appended restarted appended") << "summed up at the end";
}

TEST_F(SourceStates, AnAdapterOfAnotherContractIsNotRead) {
  write_file(file_, "one\n");
  start();
  service_.reset();
  class Next final : public test::LineAdapter {
   public:
    Next() { description_.contract_version = "2.0.0"; }
  } next;
  const std::array<const Adapter*, 1> adapters{&next};
  discovery_ = Discovery(adapters, home_.path(), {}, {});
  append_file(file_, "two\n");
  start();
  restart();
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "1");
  Reader reader(store_ / "memd.db");
  const SessionLife life = reader.ask(SessionListQuery{}).value().sessions.at(0).life;
  EXPECT_EQ(life.state(life.silent_since, kStoppedAfter), SessionState::capture_disabled);
  EXPECT_EQ(life.state(life.silent_since + kStoppedAfter, kStoppedAfter), SessionState::stopped);
  EXPECT_EQ(value("SELECT count(*) || ' ' || max(field_names) FROM diagnostics WHERE error_type ="
                  " 'contract_mismatch'"),
            "1 contract_version")
      << "once a day, not at each start";
  EXPECT_EQ(value("SELECT detail FROM ingestion_log WHERE what = 'unsupported'"),
            "its adapter speaks contract 2.0.0, this memd 1.0.0");
}

}  // namespace
}  // namespace memd

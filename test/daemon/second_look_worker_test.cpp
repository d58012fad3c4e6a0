#include "daemon/models/second_look_worker.hpp"

#include "schemas/base/error.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/enrich/second_look.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/letters_embedder.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// An embedder that calls the test for each batch.
class WatchedEmbedder final : public embedding::Embedder {
 public:
  explicit WatchedEmbedder(std::string name) : letters_(std::move(name)) {}
  embedding::ModelId model() const override { return letters_.model(); }
  Result<std::vector<embedding::Vector>> embed(std::span<const std::string_view> given, embedding::Purpose purpose,
                                               std::stop_token stop) override {
    if (on_batch) on_batch(given.size());
    if (stop.stop_requested()) return Error(Errc::cancelled, "stopped");
    return letters_.embed(given, purpose, std::move(stop));
  }
  std::vector<std::string> texts() const { return letters_.texts(); }

  std::function<void(std::size_t texts)> on_batch;  // set while no worker runs

 private:
  LettersEmbedder letters_;
};

// A store that the test fills, a writer, and a worker over both. All clocks are fake.
class SecondLookWorkerTest : public testing::Test {
 protected:
  SecondLookWorkerTest() {
    writer_ = Writer::open(store_.file(), clock_).value();
    session_ = store_.session({"s1", "title"});
  }
  ~SecondLookWorkerTest() override { worker_.reset(); }

  ExchangeId add(const std::string& user, TimeMs age = kMsPerDay) {
    const std::lock_guard lock(writing_);
    const ExchangeId id = store_.exchange(session_, {.user = user, .time = clock_.now() - age});
    enrichment::enqueue(store_.db(), id);
    return id;
  }
  void add_many(int count) {
    for (int i = 0; i < count; ++i)
      add("question " + std::to_string(i));
  }
  void change(ExchangeId id, const std::string& text, TimeMs ended_at) {
    const std::lock_guard lock(writing_);
    store_.db()
        .prepare("UPDATE exchanges SET user_message = ?2, ended_at = ?3 WHERE exchange_pk = ?1")
        .bind(id, text, ended_at)
        .run();
    enrichment::enqueue(store_.db(), id);
  }
  SecondLookBacklog backlog() {
    const std::lock_guard lock(writing_);
    return SecondLookBacklogQuery{}.run(store_.db());
  }
  std::int64_t rows() {
    const std::lock_guard lock(writing_);
    auto& q = store_.db().prepare("SELECT count(*) FROM second_look");
    q.step();
    const auto out = q.int64(0);
    q.reset();
    return out;
  }

  void start() {
    worker_.reset();
    SecondLookParts parts;
    parts.database = store_.file();
    parts.perform = [this](std::function<Result<void>(Writer&)> task) -> Result<void> {
      const std::lock_guard lock(writing_);
      if (failure_) return *failure_;
      return task(*writer_);
    };
    parts.wait_for_ingest = [this](std::chrono::milliseconds) { return !reading_; };
    parts.network = [this] { return network_; };
    parts.lacks_network = [this] { return lacks_network_; };
    SecondLookOptions options;
    options.in_background = is_service_;
    options.power_supplies = supplies_.path();
    options.is_busy = [this] { return busy_.load(); };
    options.steady_now = [this] { return began_ + std::chrono::milliseconds(steady_ms_.load()); };
    worker_ = std::make_unique<SecondLookWorker>(std::move(parts), clock_, options);
    worker_->start();
  }
  // Starts the worker if there is none, and lets it do what it can do at this time.
  void run_to_idle() {
    if (!worker_) start();
    worker_->hint();
    ASSERT_TRUE(worker_->block_until_idle(60s));
  }
  void advance(std::chrono::milliseconds time) {
    clock_.advance(time.count());
    steady_ms_ += time.count();
  }
  // Lets so much time pass after the start that the worker begins.
  void begin() {
    if (!worker_) start();
    advance(60s);
    run_to_idle();
  }
  void write_supply(const std::string& name, const std::string& key, const std::string& value) {
    std::filesystem::create_directories(supplies_ / name);
    write_file(supplies_ / name / key, value + "\n");
  }
  void put_on_battery(bool yes) {
    write_supply("AC", "type", "Mains");
    write_supply("AC", "online", yes ? "0" : "1");
    write_supply("BAT0", "type", "Battery");
    write_supply("BAT0", "status", yes ? "Discharging" : "Charging");
  }

  FakeClock clock_;
  const BackgroundThread::Time began_ = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> steady_ms_{0};
  std::atomic<bool> busy_{false};
  std::atomic<bool> reading_{false};
  StoreFixture store_;
  const TempDir supplies_;
  std::mutex writing_;
  std::unique_ptr<Writer> writer_;
  std::int64_t session_ = 0;
  std::optional<Error> failure_;  // guarded by writing_ while the worker runs
  std::shared_ptr<WatchedEmbedder> network_ = std::make_shared<WatchedEmbedder>("builtin/network");
  bool lacks_network_ = false;
  bool is_service_ = false;
  std::unique_ptr<SecondLookWorker> worker_;
};

TEST_F(SecondLookWorkerTest, MakesAllVectorsOnceNewestFirst) {
  add("alpha");
  add("");
  add("gamma");
  begin();
  EXPECT_THAT(network_->texts(), ElementsAre("gamma", "alpha"));
  EXPECT_EQ(backlog().model, "builtin/network");
  EXPECT_EQ(backlog().made, 2);
  EXPECT_EQ(backlog().waiting, 0);
  const SecondLookProgress p = worker_->progress();
  EXPECT_EQ(p.exchanges, 3u);
  EXPECT_FALSE(p.working);
  EXPECT_THAT(p.paused, IsEmpty());

  worker_.reset();
  begin();
  EXPECT_THAT(network_->texts(), SizeIs(2)) << "another process makes nothing twice";
}

TEST_F(SecondLookWorkerTest, BeginsAMinuteAfterTheStart) {
  add("alpha");
  run_to_idle();
  advance(59s);
  run_to_idle();
  EXPECT_FALSE(backlog().on()) << "a short process does not even queue";
  advance(1s);
  run_to_idle();
  EXPECT_EQ(backlog().made, 1);
}

TEST_F(SecondLookWorkerTest, AServiceBeginsAtOnceWhileThereAreNone) {
  is_service_ = true;
  add("alpha");
  run_to_idle();
  EXPECT_EQ(backlog().made, 1);
  worker_.reset();
  add("beta");
  run_to_idle();
  EXPECT_EQ(backlog().made, 1);
  begin();
  EXPECT_EQ(backlog().made, 2);
}

TEST_F(SecondLookWorkerTest, WaitsWhileSourcesAreRead) {
  reading_ = true;
  add("alpha");
  start();
  advance(60s);
  worker_->hint();
  EXPECT_FALSE(worker_->block_until_idle(0ms));
  EXPECT_EQ(backlog().made, 0);
  reading_ = false;
  ASSERT_TRUE(worker_->block_until_idle(60s));
  EXPECT_EQ(backlog().made, 1);
}

TEST_F(SecondLookWorkerTest, TakesAQuarterOfACore) {
  add_many(20);
  network_->on_batch = [this](std::size_t texts) { steady_ms_ += 20 * static_cast<std::int64_t>(texts); };
  begin();
  EXPECT_EQ(backlog().made, 8);
  EXPECT_TRUE(worker_->progress().working) << "between two batches, too";
  advance(479ms);
  run_to_idle();
  EXPECT_EQ(backlog().made, 8);
  advance(1ms);
  run_to_idle();
  EXPECT_EQ(backlog().made, 16);
  advance(480ms);
  run_to_idle();
  EXPECT_EQ(backlog().made, 20);
  EXPECT_DOUBLE_EQ(worker_->progress().busy_seconds, 0.4);
}

TEST_F(SecondLookWorkerTest, InAHurryTakesAllAtOnce) {
  put_on_battery(true);
  busy_ = true;
  add_many(20);
  add("still being written", 1500);
  network_->on_batch = [this](std::size_t) { steady_ms_ += 100; };
  start();
  worker_->hurry(100);
  ASSERT_TRUE(worker_->block_until_idle(60s));
  worker_->hurry(0);
  EXPECT_EQ(backlog().made, 21);
  EXPECT_EQ(worker_->progress().exchanges, 21u);
}

TEST_F(SecondLookWorkerTest, InAHurryTakesNoMoreThanAskedFor) {
  add_many(40);
  start();
  worker_->hurry(16);
  ASSERT_TRUE(worker_->block_until_idle(60s));
  EXPECT_EQ(backlog().made, 16);
  begin();
  EXPECT_EQ(backlog().made, 40);
}

TEST_F(SecondLookWorkerTest, AnExchangeThatIsBeingWrittenWaits) {
  begin();
  const ExchangeId id = add("begin", 1500);
  add("old");
  run_to_idle();
  EXPECT_THAT(network_->texts(), ElementsAre("old"));
  advance(5s);
  change(id, "begin and more", clock_.now());
  run_to_idle();
  advance(10s);
  run_to_idle();
  EXPECT_THAT(network_->texts(), ElementsAre("old", "begin and more")) << "once, with all of it";
}

TEST_F(SecondLookWorkerTest, ATextThatChangesMeanwhileIsTakenAgain) {
  const ExchangeId id = add("alpha");
  bool changed = false;
  network_->on_batch = [&](std::size_t) {
    if (!std::exchange(changed, true)) change(id, "alpha and more", clock_.now() - kMsPerDay);
  };
  begin();
  EXPECT_THAT(network_->texts(), ElementsAre("alpha", "alpha and more"));
  EXPECT_EQ(backlog().waiting, 0);
}

TEST_F(SecondLookWorkerTest, AnUnchangedTextIsNotEmbeddedAgain) {
  const ExchangeId id = add("alpha");
  begin();
  change(id, "alpha", clock_.now() - kMsPerDay);
  EXPECT_EQ(backlog().waiting, 1);
  run_to_idle();
  EXPECT_EQ(backlog().waiting, 0);
  EXPECT_EQ(backlog().made, 1);
  EXPECT_THAT(network_->texts(), SizeIs(1));
}

TEST_F(SecondLookWorkerTest, WaitsOnBattery) {
  put_on_battery(true);
  add("alpha");
  begin();
  EXPECT_EQ(backlog().made, 0);
  EXPECT_EQ(worker_->progress().paused, "on battery");
  put_on_battery(false);
  run_to_idle();
  EXPECT_EQ(backlog().made, 0) << "looks once a minute";
  advance(60s);
  run_to_idle();
  EXPECT_EQ(backlog().made, 1);
  EXPECT_THAT(worker_->progress().paused, IsEmpty());
}

TEST_F(SecondLookWorkerTest, WaitsWhileTheMachineIsBusy) {
  busy_ = true;
  begin();
  EXPECT_THAT(worker_->progress().paused, IsEmpty()) << "nothing waits";
  add("alpha");
  run_to_idle();
  EXPECT_EQ(worker_->progress().paused, "the machine is busy");
  busy_ = false;
  advance(60s);
  run_to_idle();
  EXPECT_EQ(backlog().made, 1);
}

TEST_F(SecondLookWorkerTest, ALockedStoreIsTriedAgainLater) {
  add_many(20);
  network_->on_batch = [this](std::size_t) { steady_ms_ += 100; };
  failure_ = Error(Errc::store_busy, "locked");
  begin();
  EXPECT_TRUE(worker_->progress().store_busy);
  EXPECT_THAT(worker_->progress().paused, testing::HasSubstr("locked"));
  {
    const std::lock_guard lock(writing_);
    failure_.reset();
  }
  advance(30s);
  run_to_idle();
  EXPECT_EQ(backlog().made, 8);
  EXPECT_THAT(worker_->progress().paused, IsEmpty()) << "although more is waiting";
}

TEST_F(SecondLookWorkerTest, StoppedInTheMiddleItGoesOnInTheNextProcess) {
  add_many(20);
  int batches = 0;
  network_->on_batch = [&](std::size_t) {
    if (++batches == 2) worker_->stop();
  };
  start();
  worker_->hurry(100);
  worker_->join();
  EXPECT_EQ(backlog().made, 8);
  network_->on_batch = nullptr;
  worker_.reset();
  begin();
  EXPECT_EQ(backlog().made, 20);
  EXPECT_THAT(network_->texts(), SizeIs(20)) << "nothing is made twice";
}

TEST_F(SecondLookWorkerTest, TurnedOffItLeavesNothing) {
  add("alpha");
  begin();
  network_ = nullptr;
  worker_.reset();
  begin();
  EXPECT_FALSE(backlog().on());
  EXPECT_EQ(rows(), 0);
  add("beta");
  run_to_idle();
  EXPECT_EQ(rows(), 0);
}

TEST_F(SecondLookWorkerTest, WithoutTheFileOfTheNetworkTheVectorsStay) {
  add("alpha");
  begin();
  network_ = nullptr;
  lacks_network_ = true;
  worker_.reset();
  begin();
  EXPECT_TRUE(backlog().on());
  EXPECT_EQ(rows(), 1);
}

TEST_F(SecondLookWorkerTest, AnotherNetworkMakesAllAnew) {
  add("alpha");
  begin();
  network_ = std::make_shared<WatchedEmbedder>("builtin/better");
  worker_.reset();
  begin();
  EXPECT_THAT(network_->texts(), ElementsAre("alpha"));
  EXPECT_EQ(backlog().model, "builtin/better");
  EXPECT_EQ(backlog().made, 1);
}

class PowerSupplies : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<std::pair<std::string, std::string>>& facts) {
    std::filesystem::create_directories(dir_ / name);
    for (const auto& [key, value] : facts)
      write_file(dir_ / name / key, value + "\n");
  }
  bool is_on_battery() { return machine::is_on_battery(dir_.path()); }
  const TempDir dir_;
};

TEST_F(PowerSupplies, ALaptopIsOnBatteryWithoutMains) {
  write("AC", {{"type", "Mains"}, {"online", "0"}});
  write("BAT0", {{"type", "Battery"}, {"status", "Discharging"}});
  EXPECT_TRUE(is_on_battery());
  write("ADP1", {{"type", "Mains"}, {"online", "1"}});
  EXPECT_FALSE(is_on_battery()) << "a second adapter";
}

TEST_F(PowerSupplies, AFullBatteryIsNotDischarged) {
  write("AC", {{"type", "Mains"}, {"online", "0"}});
  write("BAT0", {{"type", "Battery"}, {"status", "Full"}});
  EXPECT_FALSE(is_on_battery());
}

TEST_F(PowerSupplies, AMouseIsNoMachine) {
  write("hidpp_battery_0", {{"type", "Battery"}, {"status", "Discharging"}, {"scope", "Device"}});
  EXPECT_FALSE(is_on_battery());
}

TEST_F(PowerSupplies, NothingIsKnownWithoutSupplies) {
  EXPECT_FALSE(is_on_battery());
  EXPECT_FALSE(machine::is_on_battery(dir_ / "none"));
}

}  // namespace
}  // namespace memd::test

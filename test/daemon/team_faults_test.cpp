// A team's database whose server is replaced by its standby, whose network fails, or that has a pooler before it:
// nothing acknowledged is lost, nothing is doubled. MEMD_KILLS sets how often.
#include "store/team/team_database.hpp"
#include "test/daemon/sharing_machine.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/pooler.hpp"
#include "test/support/socket_proxy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::Machine;
using test::Postgres;
using test::TeamTest;
using testing::HasSubstr;

const std::vector<std::string> kPeople{"ada", "bob", "cem", "dora", "eve"};

// Writes turns and shares them, until it is to stop.
class WritingMachine {
 public:
  WritingMachine(const std::string& person, int first_session)
      : machine_(person, first_session), word_(person + "acorn") {}

  void start() {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const std::lock_guard lock(step_);
        machine_.says(word_ + std::to_string(said_), said_ % 3);
        ++said_;
        if (machine_.call("share", {{"action", "sync"}}).is_error) continue;
        acknowledged_ = own_segments();
        const std::lock_guard counting(counting_);
        ++syncs_;
        synced_.notify_all();
      }
    });
  }
  void stop() { thread_ = {}; }
  // Waits until it has shared so often since now.
  void wait_for(int syncs) {
    std::unique_lock counting(counting_);
    EXPECT_TRUE(synced_.wait_for(counting, 120s, [&, wanted = syncs_ + syncs] { return syncs_ >= wanted; }));
  }
  // Held, it does not begin another turn.
  std::mutex& step() { return step_; }
  const std::set<std::string>& acknowledged() const { return acknowledged_; }
  int said() const { return said_; }
  Machine& machine() { return machine_; }

 private:
  std::set<std::string> own_segments() {
    std::set<std::string> out;
    auto db = sqlite::Database::open(machine_.settings().layout.database(), sqlite::OpenMode::read_only);
    auto& q = db.prepare(
        "SELECT name FROM shared_segments g JOIN sessions s ON s.uid = g.session_uid WHERE s.shared_by = ''");
    while (q.step())
      out.insert(q.str(0));
    return out;
  }

  Machine machine_;
  const std::string word_;  // of this machine's turns
  std::mutex step_;
  int said_ = 0;                        // guarded by step_
  std::set<std::string> acknowledged_;  // segments; guarded by step_
  std::mutex counting_;
  std::condition_variable synced_;
  int syncs_ = 0;        // guarded by counting_
  std::jthread thread_;  // last: it uses the members above
};

class TeamFaults : public TeamTest {
 protected:
  void start_writers(const std::string& hosts) {
    for (std::size_t i = 0; i < kPeople.size(); ++i) {
      writers_.push_back(std::make_unique<WritingMachine>(kPeople[i], 10 * static_cast<int>(i) + 1));
      Machine& machine = writers_.back()->machine();
      if (i > 0) admit(kPeople[i]);
      if (i == 0)
        machine.init(Postgres::url(kPeople[i], hosts));
      else
        machine.join(Postgres::url(kPeople[i], hosts));
    }
    for (auto& writer : writers_)
      writer->start();
  }
  void wait_for_writers(int syncs) {
    for (auto& writer : writers_)
      writer->wait_for(syncs);
  }
  // No writer is at work while this lives.
  std::vector<std::unique_lock<std::mutex>> hold_writers() {
    std::vector<std::unique_lock<std::mutex>> out;
    for (auto& writer : writers_)
      out.emplace_back(writer->step());
    return out;
  }
  // The acknowledged segments that a server does not have. The writers are held.
  std::vector<std::string> lost(Postgres& server) {
    const std::string there = server.sql("postgres", "SELECT path FROM memd.files WHERE content IS NOT NULL");
    std::vector<std::string> out;
    for (const auto& writer : writers_)
      for (const std::string& name : writer->acknowledged())
        if (there.find(name) == std::string::npos) out.push_back(name);
    return out;
  }
  // All writers stop; everything is everywhere, once.
  void expect_all_is_everywhere(Postgres& server) {
    int said = 0;
    for (auto& writer : writers_)
      writer->stop();
    for (int round = 0; round < 2; ++round)  // the second takes what others wrote in the first
      for (auto& writer : writers_)
        writer->machine().sync();
    const auto all = writers_.front()->machine().contents();
    for (auto& writer : writers_) {
      said += writer->said();
      expect_all_is_there(writer->machine());
      EXPECT_TRUE(writer->machine().contents() == all);
    }
    EXPECT_EQ(all.size(), static_cast<std::size_t>(said));
    EXPECT_EQ(server.sql("postgres", "SELECT count(*), count(DISTINCT (session_uid, number)) FROM memd.exchanges"),
              std::to_string(said) + "|" + std::to_string(said));
  }

  std::vector<std::unique_ptr<WritingMachine>> writers_;
};

class TeamFailover : public TeamFaults, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Standby, TeamFailover, testing::Bool(),
                         [](const auto& its) { return its.param ? "Synchronous" : "Asynchronous"; });

TEST_P(TeamFailover, APromotedStandbyLosesAndDoublesNothing) {
  if (std::getenv("MEMD_KILLS") == nullptr) GTEST_SKIP() << "takes minutes on a busy machine: set MEMD_KILLS";
  const bool is_synchronous = GetParam();
  auto standby = std::make_unique<Postgres>(*server_);
  start_writers(server_->directory() + "," + standby->directory());
  for (int round = test::wanted_kills(1); round > 0; --round) {
    if (is_synchronous)
      server_->wait_for_standby();
    else
      standby->stop_following();  // what is acknowledged from now on is lost
    wait_for_writers(1);
    server_->kill();
    test::count_kill();
    {
      const auto held = hold_writers();
      standby->promote();
      const auto missing = lost(*standby);
      EXPECT_EQ(missing.empty(), is_synchronous) << testing::PrintToString(missing);
    }
    wait_for_writers(1);
    // The old primary takes clients again. It is the first one in the URL in every second round.
    server_->start();
    const std::string before = server_->sql("postgres", "SELECT last_change FROM memd.shares");
    Machine& ada = writers_.front()->machine();
    {
      const std::lock_guard lock(writers_.front()->step());
      const auto tried = ada.call("share", {{"action", "sync"}});
      if (tried.is_error) EXPECT_THAT(tried.text, HasSubstr("another was promoted since"));
    }
    EXPECT_EQ(server_->sql("postgres", "SELECT last_change FROM memd.shares"), before);
    server_->kill();
    wait_for_writers(1);
    const auto held = hold_writers();
    EXPECT_THAT(lost(*standby), testing::IsEmpty());
    std::swap(server_, standby);
    if (round > 1) standby->follow(*server_);
  }
  expect_all_is_everywhere(*server_);
}

TEST_F(TeamFaults, ANetworkThatIsSlowOrCutLosesAndDoublesNothing) {
  test::TempDir network;
  test::SocketProxy proxy(network / ".s.PGSQL.5432", server_->directory() + "/.s.PGSQL.5432");
  start_writers(network.path());
  wait_for_writers(1);
  proxy.set_pace(2000);  // 200 kB/s
  wait_for_writers(1);
  proxy.set_pace(test::SocketProxy::kAll);
  for (int i = 0; i < test::wanted_kills(20); ++i) {
    // From the first byte of a connection to all of a push, in large steps, then between them.
    proxy.cut_after(static_cast<std::size_t>(i % 10) * 3000 + static_cast<std::size_t>(i / 10 % 2) * 1500);
    proxy.wait_for_cut(proxy.cuts());
    proxy.mend();
    test::count_kill();
  }
  wait_for_writers(1);
  {
    const auto held = hold_writers();
    EXPECT_THAT(lost(*server_), testing::IsEmpty());
  }
  expect_all_is_everywhere(*server_);
}

// Whose connection stands and is silent goes on with a new one.
TEST_F(TeamFaults, ASilentServerIsGivenUp) {
  test::TempDir network;
  test::SocketProxy proxy(network / ".s.PGSQL.5432", server_->directory() + "/.s.PGSQL.5432");
  ASSERT_TRUE(team::TeamDatabase(server_->url("ada")).make("parcel"));
  team::TeamDatabase database(Postgres::url("ada", network.path()), 1s);
  ASSERT_TRUE(database.look("parcel"));
  proxy.set_pace(0);
  const auto asked = database.look("parcel");
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().message(), HasSubstr("does not answer any more"));
  proxy.set_pace(test::SocketProxy::kAll);
  const auto again = database.look("parcel");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(again->has_value());
}

TEST_F(TeamFaults, APoolerMayStandBetween) {
  if (!test::Pooler::is_installed()) GTEST_SKIP() << "no PgBouncer is installed (apt: pgbouncer)";
  std::vector<std::string> roles = kPeople;
  roles.emplace_back("fay");
  const test::Pooler pooler(*server_, roles);
  start_writers(pooler.directory());
  wait_for_writers(2);
  Machine reader("fay", 90);
  admit("fay");
  reader.asks_the_server();
  reader.join(Postgres::url("fay", pooler.directory()));
  EXPECT_THAT(reader.search("adaacorn0"), HasSubstr("ada@"));
  // Whoever stands between tells nothing: the database is looked at now and then.
  EXPECT_FALSE(team::TeamDatabase(Postgres::url("fay", pooler.directory())).listen("parcel").value());
  EXPECT_TRUE(team::TeamDatabase(server_->url("fay")).listen("parcel").value());
  expect_all_is_everywhere(*server_);
}

}  // namespace
}  // namespace memd

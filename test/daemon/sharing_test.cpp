// Machines that share a project through a directory: each finds the others' turns, and nothing that is not to be
// shared.
#include "daemon/sharing/sharing.hpp"
#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/sharing/sharing_thread.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "store/read/sessions.hpp"
#include "store/read/shares.hpp"
#include "store/reader.hpp"
#include "store/seal/sealed_box.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/postgres.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/transcript_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <set>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
namespace bj = boost::json;

constexpr const char* kProject = "parcel";

// A machine: a home, a store, and a memd that ingests.
class Machine {
 public:
  Machine(const std::string& person, int first_session) : first_(first_session), home_(1000 * first_session) {
    fs::permissions(data_.path(), fs::perms::owner_all);
    directory_ = "/home/" + person + "/src/parcel";
    fs::create_directory_symlink(home_.path(), person_home_.path() / person);
    settings_.home = person_home_.path() / person;
    start();
  }
  void start() {
    registry_.reset();
    host_.reset();
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    registry_ = std::make_unique<mcp::ToolRegistry>();
    admin::register_admin_tools(*registry_, *host_, {});
    ASSERT_TRUE(host_->start_ingest());
    read();
  }
  void stop() {
    registry_.reset();
    host_.reset();
  }
  void read() {
    host_->ingest()->scan();
    ASSERT_TRUE(host_->ingest()->block_until_idle(60s));
  }
  void says(const std::string& word, int session = 0, const std::string& prompt = {}) {
    clock_.advance(60'000);
    home_.turn(directory_, first_ + session, clock_.now(), word,
               prompt.empty() ? "Why does " + word + " fail?" : prompt, "Because of " + word + ".");
    read();
  }
  mcp::ToolOutcome call(std::string_view tool, const bj::object& arguments) {
    mcp::ToolContext context;
    return registry_->call(tool, bj::serialize(arguments), context);
  }
  bj::object share(bj::object arguments) {
    arguments.emplace("project", kProject);
    const auto out = call("share", arguments);
    EXPECT_FALSE(out.is_error) << out.text;
    return out.is_error ? bj::object() : bj::parse(out.structured).as_object();
  }
  bj::object init(const fs::path& place, bool sealed = false) {
    return share({{"action", "init"}, {"place", place.string()}, {"sealed", sealed}});
  }
  bj::object join(const fs::path& place, const std::string& invitation = {}) {
    return share({{"action", "join"}, {"place", place.string()}, {"invitation", invitation}});
  }
  bj::object sync() { return share({{"action", "sync"}}); }
  std::string search(const std::string& word, int most = 20) {
    mcp::ToolContext context;
    const bj::object arguments{{"query", word}, {"n_results", most}};
    const auto out = host_->tools().call("semantic_search", bj::serialize(arguments), context);
    return out.text + out.structured;
  }
  mcp::ToolOutcome turn(const std::string& id) {
    mcp::ToolContext context;
    return host_->tools().call("get_exchange", bj::serialize(bj::object{{"ids", bj::array{id}}}), context);
  }
  // Others' sessions stay in the database, which has so long to answer a search.
  void asks_the_server(int ms = 60'000) {
    settings_.config.sharing.ask_server_ms = ms;
    start();
  }
  // The words and results of all sessions, without what depends on the machine.
  std::set<std::string> contents() {
    std::set<std::string> out;
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_only);
    auto& q = db.prepare(
        "SELECT s.uid, x.exchange_number, x.user_message, x.assistant_response, x.tool_calls FROM exchanges x"
        " JOIN sessions s USING (session_pk)");
    while (q.step()) {
      const auto text = q.str(0) + "#" + std::to_string(q.int64(1)) + " " + q.str(2) + " | " + q.str(3) + " | " +
                        std::to_string(q.int64(4));
      EXPECT_TRUE(out.insert(text).second) << "doubled: " << text;
    }
    return out;
  }
  std::int64_t number(std::string_view sql) {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_only);
    return db.query(sql).value_or(0);
  }
  // What was written so far is no longer new: its times are of the past.
  void wait_a_while() {
    clock_.set(std::chrono::duration_cast<std::chrono::milliseconds>(
                   (std::chrono::system_clock::now() + 1h).time_since_epoch())
                   .count());
  }
  std::string session(int session = 0) const {
    return "claude_code:" + test::TranscriptHome::session_id(first_ + session);
  }
  test::TranscriptHome& home() { return home_; }
  MemoryHost& host() { return *host_; }
  Settings& settings() { return settings_; }
  const fs::path& data() const { return data_.path(); }
  const std::string& directory() const { return directory_; }

 private:
  const int first_;
  std::string directory_;
  test::TranscriptHome home_;
  test::TempDir person_home_;
  test::TempDir data_;
  test::FakeClock clock_;
  Settings settings_{StoreLayout(data_.path()), false, {}, {}, {}, {}};
  std::unique_ptr<MemoryHost> host_;
  std::unique_ptr<mcp::ToolRegistry> registry_;
};

class SharingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!seal::is_available()) GTEST_SKIP() << "built without encryption";
  }
  // All bytes at the place, with the segments opened that are not sealed.
  std::string at_place() const { return all_of(place_.path()); }
  static std::string all_of(const fs::path& place) {
    std::string out;
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
      out += entry.path().string() + "\n";
      if (!entry.is_regular_file()) continue;
      const std::string bytes = test::bytes_of(entry.path());
      out += bytes;
      const auto segment = sharing::decode(
          bytes, [](const std::string&) -> Result<seal::CipherPtr> { return Error(Errc::permission, "sealed"); });
      if (segment) out += segment->lines;
    }
    return out;
  }
  std::size_t segments() const {
    std::size_t out = 0;
    for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
      out += entry.path().extension() == sharing::kSegmentEnding ? 1 : 0;
    return out;
  }
  test::TempDir place_;
};

TEST_F(SharingTest, FiveMachinesFindEachOthersTurnsWithWhoWroteThem) {
  const std::vector<std::string> words{"walnut", "quartz", "bramble", "lantern", "gondola"};
  const std::vector<std::string> people{"ada", "bob", "cem", "dora", "eve"};
  std::vector<std::unique_ptr<Machine>> machines;
  for (std::size_t i = 0; i < words.size(); ++i) {
    machines.push_back(std::make_unique<Machine>(people[i], 10 * static_cast<int>(i) + 1));
    machines.back()->says(words[i]);
    if (i == 0)
      machines.back()->init(place_.path());
    else
      machines.back()->join(place_.path());
  }
  for (auto& m : machines)
    m->sync();
  const auto all = machines.front()->contents();
  EXPECT_EQ(all.size(), words.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    EXPECT_EQ(machines[i]->contents(), all);
    for (std::size_t other = 0; other < words.size(); ++other) {
      const std::string found = machines[i]->search(words[other]);
      EXPECT_THAT(found, HasSubstr(words[other]));
      if (other != i) EXPECT_THAT(found, HasSubstr(people[other] + "@"));
    }
  }
  // A turn later is found, too, and a sync with nothing new writes nothing.
  machines[3]->says("juniper");
  machines[3]->sync();
  machines[1]->sync();
  EXPECT_THAT(machines[1]->search("juniper"), HasSubstr("dora@"));
  const std::size_t before = segments();
  for (auto& m : machines)
    m->sync();
  EXPECT_EQ(segments(), before);
  const auto checked = machines[1]->share({{"action", "verify"}});
  EXPECT_TRUE(checked.at("problems").as_array().empty()) << bj::serialize(checked);
}

TEST_F(SharingTest, ASessionThatTwoMachinesHaveIsThereOnce) {
  Machine ada("ada", 1);
  Machine bob("bob", 1);
  Machine cem("cem", 20);
  ada.says("walnut");
  ada.says("quartz");
  const auto theirs = bob.home().transcript(bob.directory(), 1);
  fs::create_directories(theirs.parent_path());
  fs::copy_file(ada.home().transcript(ada.directory(), 1), theirs);
  bob.read();
  ada.init(place_.path());
  bob.join(place_.path());
  cem.join(place_.path());
  ada.sync();
  cem.sync();
  EXPECT_EQ(ada.contents(), bob.contents());
  EXPECT_EQ(ada.contents(), cem.contents());
  EXPECT_EQ(bob.number("SELECT count(*) FROM sessions WHERE shared_by <> ''"), 0);
  EXPECT_EQ(cem.number("SELECT count(*) FROM sessions WHERE shared_by <> ''"), 1);
}

TEST_F(SharingTest, NothingPrivateExcludedForgottenOrSecretLeaves) {
  Machine ada("ada", 1);
  ada.settings().config.exclude.projects = {"clinic"};
  ada.start();
  const std::string secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  ada.says("walnut", 0, "Use " + secret + " and <private>the merger with Initech</private> for walnut");
  ada.says("umbrella", 1);   // shared, then forgotten
  ada.says("xylophone", 2);  // forgotten before
  ada.home().turn("/home/ada/clinic", 7, 1'800'000'000'000, "zebrafish", "About zebrafish", "Yes.");
  ada.home().turn("/home/ada/other", 8, 1'800'000'000'000, "marzipan", "About marzipan", "Yes.");
  ada.read();
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(3)}, {"yes", true}}).is_error);
  ada.init(place_.path());
  EXPECT_THAT(at_place(), HasSubstr("walnut"));
  EXPECT_THAT(at_place(), HasSubstr("umbrella"));
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_THAT(bob.search("umbrella"), HasSubstr("umbrella fail"));
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(2)}, {"yes", true}}).is_error);
  ada.sync();
  bob.sync();
  Machine cem("cem", 30);  // comes later
  cem.join(place_.path());
  const std::string all = at_place() + test::everything_below(bob.data()) + test::everything_below(cem.data());
  for (const std::string& word : {secret, std::string("Initech"), std::string("umbrella"), std::string("xylophone"),
                                  std::string("zebrafish"), std::string("marzipan")})
    EXPECT_EQ(all.find(word), std::string::npos) << word;
  EXPECT_THAT(cem.search("walnut"), HasSubstr("walnut"));
  EXPECT_EQ(bob.contents().size(), 1u);
}

TEST_F(SharingTest, AnExclusionOfLaterAndAForgottenTurnTakeASessionOut) {
  Machine ada("ada", 1);
  ada.says("walnut", 0);
  ada.says("quartz", 1);
  ada.says("bramble", 2);
  ada.init(place_.path());
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_EQ(bob.contents().size(), 3u);
  const auto turn = ada.session(1) + "#0";
  ASSERT_FALSE(ada.call("forget", {{"exchanges", bj::array{turn}}, {"yes", true}}).is_error);
  ada.sync();
  bob.sync();
  EXPECT_EQ(bob.contents().size(), 2u);
  EXPECT_THAT(at_place(), Not(HasSubstr("quartz")));
  ada.settings().config.exclude.projects = {kProject};
  ada.start();
  ada.sync();
  bob.sync();
  EXPECT_EQ(bob.contents().size(), 0u);
  EXPECT_THAT(at_place(), Not(HasSubstr("walnut")));
}

TEST_F(SharingTest, ASealedShareIsReadByItsMembersOnly) {
  Machine ada("ada", 1);
  ada.says("walnut");
  const auto made = ada.init(place_.path(), true);
  const std::string invitation(made.at("shares").at(0).at("invitation").as_string());
  EXPECT_EQ(invitation.size(), 64u);
  Machine bob("bob", 20);
  // Without the invitation, or with another one.
  EXPECT_TRUE(
      bob.call("share", {{"action", "join"}, {"project", kProject}, {"place", place_.path().string()}}).is_error);
  EXPECT_TRUE(bob.call("share", {{"action", "join"},
                                 {"project", kProject},
                                 {"place", place_.path().string()},
                                 {"invitation", std::string(64, 'a')}})
                  .is_error);
  bob.join(place_.path(), invitation);
  ada.sync();  // puts its key into a box for bob
  bob.says("quartz");
  bob.sync();
  ada.sync();
  EXPECT_EQ(ada.contents(), bob.contents());
  EXPECT_EQ(ada.contents().size(), 2u);
  const std::string all = at_place();
  for (const char* word : {"walnut", "quartz", "parcel/src", "claude_code"})
    EXPECT_THAT(all, Not(HasSubstr(word)));
  // Who can write to the place adds a member of its own: nobody seals for it.
  sharing::Member stranger;
  stranger.machine = "0123456789abcdef";
  stranger.public_key = std::string(64, '1');
  ASSERT_TRUE(sharing::SharePlace::of(place_.path(), kProject)->write(stranger));
  ada.says("bramble");
  ada.sync();
  for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".0123456789abcdef")));
  // After bob has left, he gets no key of what is written then.
  bob.share({{"action", "leave"}});
  ada.says("lantern");
  ada.sync();
  EXPECT_EQ(bob.contents().size(), 2u);
}

TEST_F(SharingTest, AnotherProjectOfTheSameNameStaysHere) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.home().turn("/home/ada/private/parcel", 7, 1'800'000'000'000, "marzipan", "About marzipan", "Yes.");
  ada.read();
  const bj::object by_name{{"action", "init"}, {"place", place_.path().string()}, {"project", kProject}};
  EXPECT_THAT(ada.call("share", by_name).text, HasSubstr("private/parcel"));
  const auto made =
      ada.call("share", {{"action", "init"}, {"place", place_.path().string()}, {"project", "/home/ada/src/parcel"}});
  ASSERT_FALSE(made.is_error) << made.text;
  EXPECT_THAT(at_place(), HasSubstr("walnut"));
  EXPECT_THAT(at_place(), Not(HasSubstr("marzipan")));
}

TEST_F(SharingTest, APartOfANameLeavesNothing) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  EXPECT_TRUE(ada.call("share", {{"action", "leave"}, {"project", "parc"}}).is_error);
  EXPECT_EQ(ada.number("SELECT count(*) FROM shares"), 1);
  EXPECT_FALSE(ada.call("share", {{"action", "leave"}, {"project", ada.directory()}}).is_error);
  EXPECT_EQ(ada.number("SELECT count(*) FROM shares"), 0);
}

TEST_F(SharingTest, LinesOfAnotherSessionAreNotTaken) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  fs::path file;
  for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
    if (entry.path().extension() == sharing::kSegmentEnding) file = entry.path();
  auto forged = sharing::decode(test::bytes_of(file), {}).value();
  forged.head.session_id = "claude_code:forged";
  const std::string text = sharing::encode(forged, nullptr);
  test::write_file(file.parent_path() / sharing::name_of(text), text);
  fs::remove(file);
  Machine bob("bob", 20);
  const auto joined = bob.join(place_.path());
  EXPECT_EQ(joined.at("waiting"), 1);
  EXPECT_THAT(bj::serialize(joined.at("problems")), HasSubstr("lines of another session"));
  EXPECT_TRUE(bob.contents().empty());
}

TEST_F(SharingTest, WithNothingNewNoRowsAreRead) {
  Machine ada("ada", 1);
  Machine bob("bob", 20);
  ada.says("walnut");
  ada.init(place_.path());
  bob.join(place_.path());
  auto sharing = sharing::Sharing::open(ada.host()).value();
  const ShareRow share = Reader::in_background(ada.settings().layout.database()).ask(SharesQuery{})->at(0);
  const auto is_quiet_after_a_sync = [&] {
    ada.wait_a_while();
    const bool was_quiet = sharing.is_as_before(share);
    while (sharing.sync(share, {})->taken_segments > 0) {
    }
    EXPECT_TRUE(sharing.is_as_before(share));
    return was_quiet;
  };
  EXPECT_FALSE(is_quiet_after_a_sync());
  EXPECT_TRUE(is_quiet_after_a_sync());
  bob.says("quartz");
  bob.sync();
  EXPECT_FALSE(is_quiet_after_a_sync());
  EXPECT_THAT(ada.search("quartz"), HasSubstr("bob@"));
  ada.says("bramble");
  EXPECT_FALSE(sharing.is_as_before(share));
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(1)}, {"yes", true}}).is_error);
  EXPECT_FALSE(sharing.is_as_before(share));
}

// Two clones of a repository: what is pushed at once are different files.
TEST_F(SharingTest, DirectoriesThatAreMergedByFileGiveTheSame) {
  test::TempDir other;
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  const auto merge = [](const fs::path& from, const fs::path& to) {
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      const auto there = to / entry.path().lexically_relative(from);
      if (entry.is_directory()) fs::create_directories(there);
      if (!entry.is_regular_file()) continue;
      if (fs::exists(there))
        EXPECT_EQ(test::bytes_of(there), test::bytes_of(entry.path())) << "a conflict: " << there;
      else
        fs::copy_file(entry.path(), there);
    }
  };
  merge(place_.path(), other.path());
  Machine bob("bob", 20);
  bob.join(other.path());
  // Both write meanwhile, for a month.
  for (int day = 0; day < 30; ++day) {
    ada.says("acorn" + std::to_string(day), day % 3);
    bob.says("pebble" + std::to_string(day), day % 2);
    if (day % 10 == 9) ada.sync(), bob.sync();
  }
  ada.sync();
  bob.sync();
  merge(place_.path(), other.path());
  merge(other.path(), place_.path());
  ada.sync();
  bob.sync();
  EXPECT_EQ(ada.contents(), bob.contents());
  EXPECT_EQ(ada.contents().size(), 61u);
}

TEST_F(SharingTest, AStoreOfABackupGetsBackWhatItHadShared) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  ada.stop();
  test::TempDir backup;
  fs::copy(ada.data(), backup.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  const auto transcript = ada.home().transcript(ada.directory(), 1);
  const std::string older = test::bytes_of(transcript);
  ada.start();
  ada.says("quartz");
  ada.sync();
  const auto all = ada.contents();
  ada.stop();
  for (const auto& entry : fs::directory_iterator(ada.data()))
    fs::remove_all(entry.path());
  fs::copy(backup.path(), ada.data(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::ofstream(transcript, std::ios::binary) << older;
  ada.start();
  EXPECT_EQ(ada.contents().size(), 1u);
  ada.sync();
  EXPECT_EQ(ada.contents(), all);
  ada.says("bramble");
  ada.sync();
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_EQ(bob.contents(), ada.contents());
  EXPECT_EQ(bob.contents().size(), 3u);
}

// The state after a kill between any two steps of a sync: segments without rows, lines without rows, half a line.
TEST_F(SharingTest, AKillInTheMiddleOfASyncLosesAndDoublesNothing) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  ada.says("quartz");
  ada.stop();
  const std::string rows = test::bytes_of(ada.settings().layout.database());
  ada.start();
  ada.sync();
  ada.stop();
  for (const char* end : {"-wal", "-shm"})
    fs::remove(ada.settings().layout.database().string() + end);
  std::ofstream(ada.settings().layout.database(), std::ios::binary) << rows;
  ada.start();
  ada.sync();
  Machine bob("bob", 20);
  bob.join(place_.path());
  EXPECT_EQ(bob.contents(), ada.contents());
  EXPECT_EQ(bob.contents().size(), 2u);
  for (const auto& log : fs::directory_iterator(bob.data() / "shared/sessions"))
    std::ofstream(log.path(), std::ios::binary | std::ios::app) << R"({"v":1,"id":"evt_1","ts":"2026)";
  ada.says("bramble");
  ada.sync();
  bob.sync();
  EXPECT_EQ(bob.contents(), ada.contents());
}

TEST_F(SharingTest, ADamagedSegmentWaitsAndIsNamed) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(place_.path());
  fs::path segment;
  for (const auto& entry : fs::recursive_directory_iterator(place_.path()))
    if (entry.path().extension() == sharing::kSegmentEnding) segment = entry.path();
  const std::string whole = test::bytes_of(segment);
  std::ofstream(segment, std::ios::binary) << whole.substr(0, whole.size() / 2);
  Machine bob("bob", 20);
  const auto joined = bob.join(place_.path());
  EXPECT_EQ(joined.at("waiting").as_int64(), 1);
  EXPECT_FALSE(ada.share({{"action", "verify"}}).at("problems").as_array().empty());
  std::ofstream(segment, std::ios::binary) << whole;
  bob.sync();
  EXPECT_EQ(bob.contents(), ada.contents());
}

// A joined daemon: the thread writes after a commit, and takes in when its place changes.
TEST_F(SharingTest, AThreadSyncsByItself) {
  Machine ada("ada", 1);
  Machine bob("bob", 20);
  ada.init(place_.path());
  bob.join(place_.path());
  std::promise<void> watches;
  std::once_flag once;
  sharing::SharingThread of_ada(ada.host(), {});
  sharing::SharingThread of_bob(bob.host(), [&](const auto&) { std::call_once(once, [&] { watches.set_value(); }); });
  of_ada.start();
  of_bob.start();
  ASSERT_EQ(watches.get_future().wait_for(60s), std::future_status::ready);
  ada.says("walnut");
  of_ada.hint();
  const auto has_it = [&] {
    return bob.number("SELECT count(*) FROM exchanges WHERE user_message LIKE '%walnut%'") > 0;
  };
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (!has_it() && std::chrono::steady_clock::now() < until)
    of_bob.hint();
  EXPECT_TRUE(has_it());
  of_ada.stop();
  of_bob.stop();
}

// A PostgreSQL database as the place.
class TeamTest : public SharingTest {
 protected:
  void SetUp() override {
    SharingTest::SetUp();
    if (IsSkipped()) return;
    if (test::Postgres::programs().empty()) GTEST_SKIP() << "no PostgreSQL server is installed (apt: postgresql)";
    server_ = std::make_unique<test::Postgres>();
  }
  void admit(const std::string& role, const std::string& level = "contributor") {
    server_->sql("postgres", "CREATE ROLE " + role + " LOGIN");
    EXPECT_EQ(server_->sql("ada", "SELECT memd.admit('parcel', '" + role + "', '" + level + "')"), "");
  }
  static void expect_all_is_there(Machine& machine) {
    const auto checked = machine.share({{"action", "verify"}});
    EXPECT_TRUE(checked.at("problems").as_array().empty()) << bj::serialize(checked);
  }
  std::unique_ptr<test::Postgres> server_;
};

TEST_F(TeamTest, FiveMachinesFindEachOthersTurns) {
  const std::vector<std::string> words{"walnut", "quartz", "bramble", "lantern", "gondola"};
  const std::vector<std::string> people{"ada", "bob", "cem", "dora", "eve"};
  std::vector<std::unique_ptr<Machine>> machines;
  for (std::size_t i = 0; i < words.size(); ++i) {
    machines.push_back(std::make_unique<Machine>(people[i], 10 * static_cast<int>(i) + 1));
    machines.back()->says(words[i]);
    if (i > 0) admit(people[i]);
    if (i == 0)
      machines.back()->init(server_->url(people[i]));
    else
      machines.back()->join(server_->url(people[i]));
  }
  for (auto& m : machines)
    m->sync();
  for (auto& m : machines) {
    EXPECT_EQ(m->contents(), machines.front()->contents());
    EXPECT_EQ(m->contents().size(), words.size());
    expect_all_is_there(*m);
  }
  EXPECT_THAT(machines[4]->search("walnut"), HasSubstr("ada@"));
  const auto changes = server_->sql("ada", "SELECT last_change FROM memd.shares");
  for (auto& m : machines)
    m->sync();
  EXPECT_EQ(server_->sql("ada", "SELECT last_change FROM memd.shares"), changes);

  // What is forgotten goes there, too, and at all others.
  ASSERT_FALSE(
      machines[1]->call("forget", {{"session", test::TranscriptHome::session_id(11)}, {"yes", true}}).is_error);
  machines[1]->sync();
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.files WHERE content IS NULL"), "1");
  machines[4]->sync();
  EXPECT_EQ(machines[4]->contents().size(), words.size() - 1);
  expect_all_is_there(*machines[1]);

  // What the server lost is sent again.
  server_->sql("ada", "DELETE FROM memd.files WHERE path LIKE 'segments/%'");
  for (int round = 0; round < 2; ++round)  // the second takes what others sent again after the first
    for (auto& m : machines)
      m->sync();
  for (auto& m : machines)
    expect_all_is_there(*m);
  machines[2]->share({{"action", "leave"}});
  machines[0]->sync();
  EXPECT_THAT(bj::serialize(machines[0]->share({{"action", "status"}})), HasSubstr(R"("left":true)"));
}

TEST_F(TeamTest, WhoHasNoRightsSeesAndWritesNothing) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(server_->url("ada"));
  for (const std::string role : {"mallory", "rita"})
    server_->sql("postgres", "CREATE ROLE " + role + " LOGIN");
  for (const char* table : {"files", "shares", "members", "machines"})
    EXPECT_EQ(server_->sql("mallory", std::string("SELECT count(*) FROM memd.") + table), "0") << table;
  EXPECT_EQ(server_->sql("mallory", "INSERT INTO memd.members VALUES (1, 'mallory', 'admin')"), "refused");
  EXPECT_EQ(server_->sql("mallory", "SELECT memd.admit('parcel', 'mallory', 'admin')"), "refused");
  EXPECT_EQ(server_->sql("mallory", "SELECT memd.put(1, 'members/x.json', 'x', '')"), "refused");
  EXPECT_EQ(server_->sql("mallory", "SELECT memd.make_share('other')"), "refused");
  Machine mallory("mallory", 20);
  const bj::object join{{"action", "join"}, {"project", kProject}, {"place", server_->url("mallory")}};
  EXPECT_THAT(mallory.call("share", join).text, HasSubstr("no share of the project"));
  // A reader reads, and cannot write; a contributor writes as itself only.
  admit("rita", "reader");
  EXPECT_NE(server_->sql("rita", "SELECT count(*) FROM memd.files"), "0");
  EXPECT_EQ(server_->sql("rita", "SELECT memd.put(1, 'members/x.json', 'x', '')"), "refused");
  Machine rita("rita", 30);
  rita.says("quartz");
  rita.join(server_->url("rita"));
  EXPECT_EQ(rita.contents().size(), 2u);
  ada.sync();
  EXPECT_EQ(ada.contents().size(), 1u);
  admit("bob");
  const std::string of_ada = server_->sql("bob", "SELECT machine FROM memd.machines");
  EXPECT_EQ(server_->sql("bob", "SELECT memd.put(1, 'members/" + of_ada + ".json', '" + of_ada + "', '')"), "refused");
  EXPECT_EQ(server_->sql("bob", "SELECT memd.put(1, 'segments/" + of_ada + "/x.segment', 'bobs', '')"), "refused");
  // A password is not stored.
  const bj::object with_password{
      {"action", "join"}, {"project", kProject}, {"place", "postgres://bob:hunter2@db.example/team"}};
  EXPECT_THAT(mallory.call("share", with_password).text, HasSubstr(".pgpass"));
}

TEST_F(TeamTest, AServerThatIsKilledWhileOnePushesLosesAndDoublesNothing) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(server_->url("ada"));
  for (int i = 0; i < 20; ++i) {
    ada.says("acorn" + std::to_string(i), i % 3);
    auto pushed = std::async(std::launch::async, [&] { return !ada.call("share", {{"action", "sync"}}).is_error; });
    (void)pushed.wait_for(i * 10ms);  // the kill meets every step, and the time after the last one
    server_->kill();
    const bool is_acknowledged = pushed.get();
    server_->start();
    if (is_acknowledged) expect_all_is_there(ada);
  }
  ada.sync();
  expect_all_is_there(ada);
  admit("bob");
  Machine bob("bob", 20);
  bob.join(server_->url("bob"));
  EXPECT_EQ(bob.contents(), ada.contents());
  EXPECT_EQ(bob.contents().size(), 21u);
  EXPECT_EQ(server_->sql("ada", "SELECT count(*), count(DISTINCT (session_uid, number)) FROM memd.exchanges"), "21|21");
}

// A machine that asks the database instead of fetching what others shared.
TEST_F(TeamTest, TheDatabaseIsAskedForWhatOthersShared) {
  Machine ada("ada", 1);
  ada.says("walnut", 0, "Why does O'Brien's \\walnut\\ cache fail?");
  ada.says("quartz", 1);
  ada.init(server_->url("ada"));
  admit("bob");
  Machine bob("bob", 20);
  bob.asks_the_server();
  bob.says("bramble");
  bob.join(server_->url("bob"));
  bob.sync();
  EXPECT_EQ(bob.contents().size(), 1u);  // nothing was fetched
  expect_all_is_there(bob);
  // It is found by the words of memd's index, with who wrote it, and can be read.
  const std::string found = bob.search("o'brien caches of walnuts");
  EXPECT_THAT(found, Not(HasSubstr("Nowhere in this history")));
  EXPECT_THAT(found, HasSubstr("walnut"));
  EXPECT_THAT(found, HasSubstr("ada@"));
  const std::string id = ada.session(0) + "#0";
  EXPECT_THAT(found, HasSubstr(id));
  const auto whole = bob.turn(id);
  EXPECT_FALSE(whole.is_error) << whole.text;
  EXPECT_THAT(whole.text, HasSubstr("Because of walnut."));
  EXPECT_THAT(whole.structured, HasSubstr("\"exchange_id\":\"" + id + "\""));
  EXPECT_THAT(bob.search("walnut -brien"), Not(HasSubstr("ada@")));
  // One's own turns are there, too, and not shown twice.
  EXPECT_THAT(bob.search("bramble"), Not(HasSubstr("bob@")));
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.exchanges"), "3");
  // A page has as many hits as were asked for; the next one goes on with those of the store.
  bob.says("walnut", 1, "Is walnut the cache of O'Brien?");
  EXPECT_THAT(bob.search("walnut cache", 1), AnyOf(Not(HasSubstr("ada@")), Not(HasSubstr("Is walnut"))));
  EXPECT_THAT(bob.search("walnut cache"), AllOf(HasSubstr("ada@"), HasSubstr("Is walnut")));
  // Later turns and changes come, nothing twice.
  ada.says("juniper", 1);
  ada.sync();
  ada.sync();
  EXPECT_THAT(bob.search("juniper"), HasSubstr("ada@"));
  EXPECT_EQ(server_->sql("ada", "SELECT count(*), count(DISTINCT (session_uid, number)) FROM memd.exchanges"), "4|4");
  EXPECT_EQ(server_->sql("ada",
                         "SELECT exchanges = 4 AND words = (SELECT sum(length) FROM memd.exchanges)"
                         " FROM memd.shares"),
            "t");
  // Who fetches everything again has it once.
  bob.asks_the_server(0);
  bob.sync();
  EXPECT_EQ(bob.contents().size(), 5u);
  bob.asks_the_server();
  const std::string once = bob.search("juniper");
  EXPECT_THAT(once, HasSubstr("ada@"));
  EXPECT_THAT(once, Not(HasSubstr(ada.session(1) + "#1")));
  // What was forgotten here is not shown from there.
  ASSERT_FALSE(bob.call("forget", {{"session", test::TranscriptHome::session_id(2)}, {"yes", true}}).is_error);
  EXPECT_THAT(bob.search("juniper"), Not(HasSubstr("ada@")));
  EXPECT_TRUE(bob.turn(ada.session(1) + "#1").is_error);
}

TEST_F(TeamTest, RowsAreForMembersOnlyAndGoWithWhatIsForgotten) {
  Machine ada("ada", 1);
  const std::string secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  ada.says("walnut", 0, "Use " + secret + " and <private>the merger with Initech</private> for walnut");
  ada.says("umbrella", 1);
  ada.says("quartz", 2);
  ada.init(server_->url("ada"));
  for (const std::string role : {"mallory", "rita"})
    server_->sql("postgres", "CREATE ROLE " + role + " LOGIN");
  const std::string search =
      "SELECT count(*) FROM memd.search('parcel', ARRAY[quote_literal('umbrella')], '{}', 0, 9e15::bigint, '{}', 9)";
  EXPECT_EQ(server_->sql("ada", search), "1");
  EXPECT_EQ(server_->sql("mallory", search), "0");
  EXPECT_EQ(server_->sql("mallory", "SELECT count(*) FROM memd.turn('parcel', '" + ada.session(1) + "', 0)"), "0");
  for (const char* table : {"exchanges", "sessions"})
    EXPECT_EQ(server_->sql("mallory", std::string("SELECT count(*) FROM memd.") + table), "0") << table;
  const std::string leaf = server_->sql("ada", "SELECT tableoid::regclass FROM memd.exchanges LIMIT 1");
  EXPECT_EQ(server_->sql("mallory", "SELECT count(*) FROM " + leaf), "refused");
  // A reader reads; a contributor writes as itself only.
  admit("bob");
  EXPECT_EQ(server_->sql("ada", "SELECT memd.admit('parcel', 'rita', 'reader')"), "");
  EXPECT_EQ(server_->sql("rita", search), "1");
  const std::string of_ada = server_->sql("ada", "SELECT machine FROM memd.machines");
  for (const char* role : {"mallory", "rita", "bob"}) {
    EXPECT_EQ(server_->sql(role, "SELECT memd.take_out(1, '" + of_ada + "', '" + ada.session(1) + "')"), "refused");
    EXPECT_EQ(server_->sql(role, "SELECT memd.remove_rows(1, '" + ada.session(1) + "', NULL, NULL)"), "refused");
    EXPECT_EQ(server_->sql(role, "SELECT memd.put_rows(1, '" + of_ada +
                                     "', 'x', '', '', '', '', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')"),
              "refused");
  }
  Machine bob("bob", 20);
  bob.asks_the_server();
  bob.join(server_->url("bob"));
  EXPECT_THAT(bob.search("umbrella"), HasSubstr("ada@"));
  // Forgotten, excluded later: gone, and never written again.
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(2)}, {"yes", true}}).is_error);
  ada.sync();
  bob.sync();
  EXPECT_THAT(bob.search("umbrella"), Not(HasSubstr("ada@")));
  const std::string rows =
      server_->sql("ada", "SELECT * FROM memd.exchanges") + server_->sql("ada", "TABLE memd.sessions");
  for (const std::string& word : {secret, std::string("Initech"), std::string("umbrella")})
    EXPECT_EQ(rows.find(word), std::string::npos) << word;
  EXPECT_THAT(rows, HasSubstr("walnut"));
  EXPECT_EQ(server_->sql("ada", "SELECT memd.put_rows(1, '" + of_ada + "', '" + ada.session(1) +
                                    "', '', '', '', '', '{}', '{0}', '{1}', '{1}', '{1}', '{a}', '{b}', '{c}')"),
            "");
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.exchanges WHERE question = 'b'"), "0");
  ada.settings().config.exclude.projects = {kProject};
  ada.start();
  ada.sync();
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.exchanges"), "0");
  EXPECT_EQ(server_->sql("ada", "SELECT exchanges, words FROM memd.shares"), "0|0");
}

TEST_F(TeamTest, ADatabaseThatIsGoneOrSlowIsLeftOutAndNamed) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(server_->url("ada"));
  admit("bob");
  Machine bob("bob", 20);
  bob.says("walnut");
  bob.join(server_->url("bob"));
  bob.asks_the_server();
  const auto first_line = [](const std::string& answer) { return answer.substr(0, answer.find('\n')); };
  EXPECT_THAT(first_line(bob.search("walnut")), Not(HasSubstr("left out")));
  server_->kill();
  const std::string without = bob.search("walnut");
  EXPECT_THAT(first_line(without), HasSubstr("What others shared of parcel was left out"));
  EXPECT_THAT(without, HasSubstr("Because of walnut"));
  // The connection of before is of no use any more, and made anew.
  server_->start();
  EXPECT_THAT(first_line(bob.search("walnut")), Not(HasSubstr("left out")));
  server_->sql("ada", "ALTER FUNCTION memd.search RENAME TO quick_search");
  server_->sql(
      "ada",
      "CREATE FUNCTION memd.search(text, text[], text[], bigint, bigint, text[], integer) RETURNS TABLE"
      " (session_uid text, number integer, who text, agent text, title text, started_at bigint, length integer,"
      "  bm25 float8, coverage float8, question text, answer text) LANGUAGE sql AS"
      " $$ SELECT '', 0, '', '', '', 0::bigint, 0, 0::float8, 0::float8, '', '' FROM pg_sleep(600) $$");
  bob.asks_the_server(100);
  const std::string in_time = bob.search("walnut");
  EXPECT_THAT(first_line(in_time), HasSubstr("did not answer in time"));
  EXPECT_THAT(in_time, HasSubstr("Because of walnut"));
}

// A database that was made before there were rows.
TEST_F(TeamTest, AnOlderDatabaseGetsRowsFromItsOwner) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(server_->url("ada"));
  server_->sql("ada",
               "DROP TABLE memd.exchanges, memd.sessions; ALTER TABLE memd.shares DROP exchanges, DROP words;"
               "DROP FUNCTION memd.make_month, memd.check_writer, memd.remove_rows, memd.put_rows, memd.take_out,"
               " memd.search, memd.turn; DELETE FROM memd.migrations WHERE name = '0002_rows.sql'");
  admit("bob");
  Machine bob("bob", 20);
  bob.asks_the_server();
  bob.join(server_->url("bob"));
  EXPECT_THAT(bob.search("walnut"), HasSubstr("left out"));
  ada.says("quartz");
  ada.sync();
  EXPECT_THAT(bob.search("walnut"), HasSubstr("ada@"));
}

}  // namespace
}  // namespace memd

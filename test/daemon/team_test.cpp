// Machines that share a project through a PostgreSQL database. MEMD_KILLS sets how often it is killed.
#include "daemon/memories/indexer_thread.hpp"
#include "daemon/sharing/sharing.hpp"
#include "daemon/sharing/sharing_thread.hpp"
#include "store/read/shares.hpp"
#include "store/reader.hpp"
#include "store/team/team_database.hpp"
#include "test/daemon/sharing_machine.hpp"
#include "test/support/killed_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace memd {
namespace {

namespace bj = boost::json;
using namespace std::chrono_literals;
using test::Machine;
using test::TeamTest;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

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

TEST_F(TeamTest, ChangesComeInTheirOrderHoweverManyThereAre) {
  team::TeamDatabase ada(server_->url("ada"));
  const auto share = ada.make(test::kSharedProject);
  ASSERT_TRUE(share) << share.error().message();
  std::vector<team::TeamFile> files;
  for (int i = 1; i <= 120; ++i)
    files.push_back({"segments/a/" + std::to_string(i) + ".segment", "a", 0, false, "bytes"});
  ASSERT_TRUE(ada.write(*share, files));
  admit("bob");
  team::TeamDatabase bob(server_->url("bob"));
  std::vector<std::int64_t> came;
  for (std::int64_t seen = 0; seen < 120;) {
    const auto some = bob.files_of_others(*share, "b", seen, 120, true);
    ASSERT_TRUE(some) << some.error().message();
    ASSERT_FALSE(some->empty()) << seen;
    for (const team::TeamFile& file : *some)
      came.push_back(seen = file.change);
  }
  std::vector<std::int64_t> all(120);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(came, all);
}

// Whatever made a machine pass a file over: the next segment of the session asks for it, or verify does.
TEST_F(TeamTest, AFileThatWasPassedOverComesLater) {
  Machine ada("ada", 1), bob("bob", 20);
  ada.says("walnut");
  share_between(ada, bob);
  const auto says_unseen = [&](const std::string& word, int session) {
    ada.says(word, session);
    ada.sync();
    server_->sql("ada", "UPDATE memd.files SET change = 1 WHERE change = (SELECT max(change) FROM memd.files)");
    bob.sync();
    EXPECT_NE(bob.contents(), ada.contents());
  };
  says_unseen("acorn", 0);
  says_unseen("quartz", 0);
  ada.says("bramble", 0);
  ada.sync();
  bob.sync();
  EXPECT_EQ(bob.contents(), ada.contents());

  says_unseen("lantern", 1);
  EXPECT_THAT(bj::serialize(bob.share({{"action", "verify"}})), HasSubstr("in the database only"));
  bob.sync();
  EXPECT_EQ(bob.contents(), ada.contents());
  expect_all_is_there(bob);
}

// Its changes get numbers that were given before.
TEST_F(TeamTest, ADatabaseRestoredFromABackupIsComparedFromTheStart) {
  Machine ada("ada", 1), bob("bob", 20), cem("cem", 40);
  ada.says("walnut");
  share_between(ada, bob);
  admit("cem");
  cem.join(server_->url("cem"));
  server_->back_up();
  ada.says("acorn", 1);
  ada.sync();
  bob.sync();
  server_->restore();
  for (int i = 0; i < 4; ++i) {
    cem.says("quartz", i);
    cem.sync();
  }
  for (int round = 0; round < 2; ++round)  // the second takes what others sent again after the first
    for (Machine* m : {&bob, &ada, &cem})
      m->sync();
  for (Machine* m : {&ada, &bob, &cem}) {
    EXPECT_EQ(m->contents().size(), 6u);
    expect_all_is_there(*m);
  }
}

// A snapshot of the server's files: it has the same identity, and numbers that were given are given again.
TEST_F(TeamTest, ADatabaseThatWasSetBackIsComparedFromTheStart) {
  Machine ada("ada", 1), bob("bob", 20);
  ada.says("walnut");
  share_between(ada, bob);
  server_->sql("postgres", "CREATE TABLE files_then AS SELECT * FROM memd.files");
  server_->sql("postgres", "CREATE TABLE shares_then AS SELECT share_no, last_change FROM memd.shares");
  for (int i = 0; i < 3; ++i) {
    ada.says("acorn", i + 1);
    ada.sync();
  }
  server_->sql("postgres", "DELETE FROM memd.files");
  server_->sql("postgres", "INSERT INTO memd.files SELECT * FROM files_then");
  server_->sql("postgres",
               "UPDATE memd.shares s SET last_change = t.last_change FROM shares_then t"
               " WHERE t.share_no = s.share_no");
  for (int i = 0; i < 5; ++i) {
    bob.says("quartz", i);
    bob.sync();
  }
  for (int round = 0; round < 2; ++round)
    for (Machine* m : {&ada, &bob})
      m->sync();
  for (Machine* m : {&ada, &bob}) {
    EXPECT_EQ(m->contents().size(), 9u);
    expect_all_is_there(*m);
  }
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
  const bj::object join{{"action", "join"}, {"project", test::kSharedProject}, {"place", server_->url("mallory")}};
  EXPECT_THAT(mallory.call("share", join).text, HasSubstr("no share of the project"));
  // A reader reads, and cannot write; a contributor writes as itself only.
  admit("rita", "reader");
  EXPECT_NE(server_->sql("rita", "SELECT count(*) FROM memd.files"), "0");
  EXPECT_EQ(server_->sql("rita", "SELECT memd.put(1, 'members/x.json', 'x', '')"), "refused");
  Machine rita("rita", 30);
  rita.says("quartz");
  const auto joined = rita.join(server_->url("rita"));
  EXPECT_EQ(joined.at("sent_segments"), 0);
  EXPECT_THAT(bj::serialize(joined.at("problems")), HasSubstr("may only read"));
  EXPECT_EQ(rita.contents().size(), 2u);
  ada.sync();
  EXPECT_EQ(ada.contents().size(), 1u);
  admit("bob");
  const std::string of_ada = server_->sql("bob", "SELECT machine FROM memd.machines");
  EXPECT_EQ(server_->sql("bob", "SELECT memd.put(1, 'members/" + of_ada + ".json', '" + of_ada + "', '')"), "refused");
  EXPECT_EQ(server_->sql("bob", "SELECT memd.put(1, 'segments/" + of_ada + "/x.segment', 'bobs', '')"), "refused");
  const std::string longest(300, 'x');
  EXPECT_EQ(server_->sql("bob", "SELECT memd.put(1, 'members/" + longest + ".json', '" + longest + "', '')"),
            "refused");
  EXPECT_EQ(server_->sql("ada", "SELECT memd.admit('parcel', 'ada', NULL)"), "refused");
  // A password is not stored, nor told again.
  for (const std::string place :
       {"postgres://bob:hunter2@db.example/team", "POSTGRES://bob:hunter2@db.example/team",
        "postgres://db.example/team?pass%77ord=hunter2", "host=db.example password=hunter2"}) {
    const bj::object with_password{{"action", "join"}, {"project", test::kSharedProject}, {"place", place}};
    const auto told = mallory.call("share", with_password).text;
    EXPECT_THAT(told, testing::AllOf(HasSubstr("password"), Not(HasSubstr("hunter2"))));
  }
  // Who was not admitted yet can begin none, and join later.
  server_->sql("postgres", "CREATE ROLE eve LOGIN");
  Machine eve("eve", 50);
  const bj::object init{{"action", "init"}, {"project", test::kSharedProject}, {"place", server_->url("eve")}};
  EXPECT_TRUE(eve.call("share", init).is_error);
  EXPECT_EQ(eve.number("SELECT count(*) FROM shares"), 0);
  server_->sql("ada", "SELECT memd.admit('parcel', 'eve', 'contributor')");
  eve.join(server_->url("eve"));
  eve.sync();
}

TEST_F(TeamTest, AServerThatIsKilledWhileOnePushesLosesAndDoublesNothing) {
  Machine ada("ada", 1);
  ada.says("walnut");
  ada.init(server_->url("ada"));
  const int kills = test::wanted_kills(20);
  for (int i = 0; i < kills; ++i) {
    ada.says("acorn" + std::to_string(i), i % 3);
    auto pushed = std::async(std::launch::async, [&] { return !ada.call("share", {{"action", "sync"}}).is_error; });
    (void)pushed.wait_for(i % 20 * 10ms);  // the kill meets every step, and the time after the last one
    server_->kill();
    test::count_kill();
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
  const std::string all = std::to_string(kills + 1);
  EXPECT_EQ(std::to_string(bob.contents().size()), all);
  EXPECT_EQ(server_->sql("ada", "SELECT count(*), count(DISTINCT (session_uid, number)) FROM memd.exchanges"),
            all + "|" + all);
  EXPECT_EQ(server_->sql("ada", "SELECT count(*), count(DISTINCT (session_no, number)) FROM memd.vectors"),
            all + "|" + all);
}

bool is_readable(const UniqueFd& socket, std::chrono::milliseconds patience) {
  pollfd one{socket.get(), POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(patience.count())) > 0;
}

TEST_F(TeamTest, ADatabaseTellsOfChangesAndIsNotAskedForThem) {
  Machine ada("ada", 1), bob("bob", 20);
  ada.says("walnut");
  share_between(ada, bob);
  auto sharing = sharing::Sharing::open(bob.host()).value();
  const ShareRow share = Reader::in_background(bob.settings().layout.database()).ask(SharesQuery{})->at(0);
  const auto sync = [&] {
    bob.wait_a_while();
    std::int64_t taken = 0;
    for (auto done = sharing.sync(share, {}); done && done->taken_segments + done->sent_segments > 0;
         done = sharing.sync(share, {}))
      taken += done->taken_segments;
    return taken;
  };
  sync();
  EXPECT_TRUE(sharing.wait_for_news(share).are_here);  // nobody listened until now
  EXPECT_TRUE(sharing.is_as_before(share));
  const auto last_asked = [&] {
    return server_->sql("postgres", "SELECT max(state_change) FROM pg_stat_activity WHERE usename = 'bob'");
  };
  const std::string before = last_asked();
  const auto news = sharing.wait_for_news(share);
  EXPECT_FALSE(news.are_here);
  EXPECT_TRUE(sharing.is_as_before(share));
  EXPECT_FALSE(is_readable(news.socket, 0ms));
  EXPECT_EQ(last_asked(), before);
  ada.says("quartz");
  ada.sync();
  EXPECT_TRUE(is_readable(news.socket, 60s));
  EXPECT_TRUE(sharing.wait_for_news(share).are_here);
  EXPECT_FALSE(sharing.is_as_before(share));
  EXPECT_GT(sync(), 0);
  bob.says("bramble");
  sync();
  EXPECT_FALSE(sharing.wait_for_news(share).are_here);  // what it wrote itself is no news
  // What is taken out of the rows is told, too: the segment that says so came before.
  const std::string of_ada = server_->sql("ada", "SELECT machine FROM memd.machines WHERE role = 'ada'");
  EXPECT_EQ(server_->sql("ada", "SELECT memd.take_out(1, '" + of_ada + "', '" + ada.session() + "')"), "");
  EXPECT_TRUE(is_readable(news.socket, 60s));
  EXPECT_FALSE(sharing.is_as_before(share));
  sync();
  // A server that goes is noticed, and listened to when it is back.
  server_->kill();
  auto last = sharing.wait_for_news(share);
  while (last.socket) {  // a server's last words may come before its end does
    ASSERT_TRUE(is_readable(last.socket, 60s));
    last = sharing.wait_for_news(share);
  }
  server_->start();
  sync();
  EXPECT_TRUE(sharing.wait_for_news(share).socket);
}

TEST_F(TeamTest, AThreadTakesInWhatItIsToldOf) {
  Machine ada("ada", 1), bob("bob", 20);
  share_between(ada, bob);
  std::mutex mutex;
  std::vector<UniqueFd> sockets;  // guarded by mutex
  sharing::SharingThread of_bob(bob.host(), {}, [&](std::vector<UniqueFd> these) {
    const std::lock_guard lock(mutex);
    sockets = std::move(these);
  });
  of_bob.start();
  ada.says("walnut");
  ada.sync();
  const auto until = std::chrono::steady_clock::now() + 120s;
  while (bob.contents().empty() && std::chrono::steady_clock::now() < until) {
    const std::lock_guard lock(mutex);
    if (!sockets.empty() && is_readable(sockets.front(), 100ms)) of_bob.hint();
  }
  EXPECT_EQ(bob.contents(), ada.contents());
  // Nothing stays open of a share that was left.
  const auto awaited = [&] {
    const std::lock_guard lock(mutex);
    return sockets.size();
  };
  EXPECT_EQ(awaited(), 1u);
  bob.share({{"action", "leave"}});
  of_bob.hint();
  while (awaited() > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  EXPECT_EQ(awaited(), 0u);
  const std::string connections = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'bob'";
  while (server_->sql("postgres", connections) != "0" && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  EXPECT_EQ(server_->sql("postgres", connections), "0");
  of_bob.stop();
  of_bob.join();
}

TEST_F(TeamTest, ManyMayWriteRowsAtTheSameTime) {
  const team::TeamShare share = team::TeamDatabase(server_->url("ada")).make("parcel").value();
  constexpr int kMonths = 12;
  const auto write = [&](const std::string& machine) {
    team::TeamDatabase database(server_->url("ada"));
    EXPECT_TRUE(database.write(share, {{"members/" + machine + ".json", machine, 0, false, "{}"}}));
    for (int month = 0; month < kMonths; ++month) {  // new to each of them
      const TeamExchange row{0, 1, TimeMs{month} * 31 * 86'400'000, 2, "'quartz' 'walnut'", "Why?", "So."};
      const team::TeamSession session{machine + std::to_string(month), "ada@laptop", "claude_code", "", "all", false};
      const auto written = database.write_rows(share, machine, session, {}, {row}, "");
      EXPECT_TRUE(written) << written.error().message();
    }
  };
  std::vector<std::jthread> threads;
  for (const char* machine : {"a", "b", "c", "d"})
    threads.emplace_back(write, machine);
  threads.clear();
  EXPECT_EQ(server_->sql("ada", "SELECT count(*), count(DISTINCT session_uid) FROM memd.exchanges"), "48|48");
  EXPECT_EQ(server_->sql("ada", "SELECT exchanges, words FROM memd.shares"), "48|96");
}

TEST_F(TeamTest, AWordThatMostRowsHaveCountsForLittle) {
  team::TeamDatabase database(server_->url("ada"));
  const team::TeamShare share = database.make("parcel").value();
  ASSERT_TRUE(database.write(share, {{"members/a.json", "a", 0, false, "{}"}}));
  constexpr int kMonths = 9;  // more than are looked at for such a word
  constexpr int kRows = 300;
  const auto month = [](int i) { return TimeMs{i} * 31 * 86'400'000; };
  for (int i = 0; i < kMonths; ++i) {
    std::vector<TeamExchange> rows;
    for (int number = 0; number < kRows; ++number)
      rows.push_back({number, number, month(i), 2, number == 7 ? "'quartz' 'walnut'" : "'walnut'", "Why?", "So."});
    const team::TeamSession session{"s" + std::to_string(i), "ada@laptop", "claude_code", "", "all", false};
    ASSERT_TRUE(database.write_rows(share, "a", session, {}, rows, ""));
  }
  const std::string search =
      " FROM memd.search('parcel', '{''walnut'',''quartz''}', '{}', 0, 9000000000000, '{}', 20) ";
  EXPECT_EQ(server_->sql("ada", "SELECT count(*), min(number), max(number)" + search + "WHERE coverage = 1"), "9|7|7");
  EXPECT_EQ(
      server_->sql("ada", "SELECT count(*), max(coverage) < 0.05, min(coverage) > 0" + search + "WHERE coverage < 1"),
      "11|t|t");
  server_->sql("ada", "DELETE FROM memd.exchanges");
  server_->sql("ada", "VACUUM memd.exchanges");  // its tables have no pages then
  EXPECT_EQ(server_->sql("ada", "SELECT sum(pg_relation_size(relid)) FROM pg_partition_tree('memd.exchanges')"), "0");
  EXPECT_EQ(server_->sql("ada", "SELECT count(*)" + search), "0");
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

// Who changed a file, what was decided, what was said last.
TEST_F(TeamTest, FilesObservationsAndTurnsOfOthersAreAnswered) {
  Machine ada("ada", 1);
  ada.says("walnut", 0, "Implement the following plan: Redis instead of Memcached for the walnut cache.");
  ada.home().edit(ada.directory(), 1, 1'900'000'000'000, ada.directory() + "/src/cache.cpp");
  ada.says("quartz");
  ada.init(server_->url("ada"));
  admit("bob");
  Machine bob("bob", 20);
  bob.asks_the_server();
  bob.says("bramble");
  bob.join(server_->url("bob"));
  EXPECT_EQ(bob.contents().size(), 1u);
  const std::string id = ada.session() + "#0";
  for (const std::string& path :
       {std::string("cache.cpp"), std::string("src/cache.cpp"), bob.directory() + "/src/cache.cpp"}) {
    const auto blame = bob.ask("file_history", {{"path", path}});
    EXPECT_THAT(blame.text, AllOf(HasSubstr("ada@"), HasSubstr(id), HasSubstr("Redis"), HasSubstr("modified"))) << path;
  }
  EXPECT_THAT(bob.ask("file_history", {{"path", "lib/cache.cpp"}}).text, Not(HasSubstr("ada@")));
  const auto decided = bob.ask("list_observations", {{"observation", "decision"}, {"all_projects", true}});
  EXPECT_THAT(decided.text, AllOf(HasSubstr("ada@"), HasSubstr(id), HasSubstr("Redis instead of Memcached")));
  const auto last = bob.ask("recent_turns", {{"session_id", ada.session()}});
  EXPECT_THAT(last.text, AllOf(HasSubstr("ada@"), HasSubstr(id), HasSubstr("quartz")));
  // All of it goes with the session.
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(1)}, {"yes", true}}).is_error);
  ada.sync();
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.changes"), "0");
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.observations"), "0");
  EXPECT_THAT(bob.ask("file_history", {{"path", "cache.cpp"}}).text, Not(HasSubstr("ada@")));
}

// Those of the project's scope, without what is private.
TEST_F(TeamTest, MemoriesAndDecisionsOfOthersAreAnswered) {
  test::TempDir checkout;
  const std::filesystem::path project = checkout / "parcel";
  const auto write = [&](const std::string& file, const std::string& title, const std::string& text) {
    std::filesystem::create_directories((project / ".claude/memory" / file).parent_path());
    test::write_file(project / ".claude/memory" / file,
                     "---\ntype: decision\ntags:\n  - sqlite\ncreated: \"2020-01-10T10:00:00Z\"\n"
                     "updated: \"2020-01-10T10:30:00Z\"\n---\n\n# " +
                         title + "\n\n" + text + "\n");
  };
  write("use-wal.md", "Use WAL", "Readers do not wait for the writer.");
  write("payroll.md", "Payroll", "<private>Readers earn less than the writer.</private>");
  write("local/mine.md", "Mine", "Readers annoy this writer.");
  Machine ada("ada", 1, project);
  const auto index = [&] {
    ada.host().memory_indexer()->hint_everything();
    ASSERT_TRUE(ada.host().memory_indexer()->settle(60s));
  };
  ada.says("walnut", 0, "Implement the following plan: Redis instead of Memcached for the walnut cache.");
  index();
  ada.init(server_->url("ada"));
  admit("bob");
  Machine bob("bob", 20);
  bob.asks_the_server();
  bob.says("bramble");
  bob.join(server_->url("bob"));
  const auto found = bob.ask("memory_search", {{"query", "reader or writer"}});
  EXPECT_THAT(found.text, AllOf(HasSubstr("ada@"), HasSubstr("Use WAL"), HasSubstr("Readers do not wait")));
  EXPECT_THAT(found.structured, HasSubstr(R"(memory_read(slug=\"use-wal\", scope=\"project\"))"));
  for (const bj::object& how : {bj::object{}, bj::object{{"scope", "project"}}}) {
    bj::object wanted = how;
    wanted["slug"] = "use-wal";
    const auto whole = bob.ask("memory_read", wanted);
    EXPECT_THAT(whole.text, AllOf(HasSubstr("ada@"), HasSubstr("Use WAL"), HasSubstr("Readers do not wait for the")));
  }
  for (const char* other : {"local", "global"})
    EXPECT_TRUE(bob.ask("memory_read", {{"slug", "use-wal"}, {"scope", other}}).is_error);
  EXPECT_TRUE(bob.ask("memory_read", {{"slug", "use-what"}}).is_error);
  EXPECT_THAT(bob.ask("memory_search", {}).text, HasSubstr("Use WAL"));
  EXPECT_THAT(bob.ask("memory_search", {{"query", "writer"}, {"scope", "local"}}).text, Not(HasSubstr("Use WAL")));
  EXPECT_THAT(ada.search("readers"), Not(HasSubstr("ada@")));
  const auto decided = bob.ask("session_summary", {{"project", test::kSharedProject}, {"level", 4}});
  EXPECT_THAT(decided.text, AllOf(HasSubstr("ada@"), HasSubstr("Redis instead of Memcached")));
  // For members only; each machine writes its own.
  server_->sql("postgres", "CREATE ROLE mallory LOGIN");
  const std::string ask = "SELECT count(*) FROM memd.find_memories('parcel', '{}', '{}', '', 9)";
  EXPECT_EQ(server_->sql("bob", ask), "2");
  EXPECT_THAT(server_->sql("bob", "SELECT string_agg(content, ' ') FROM memd.memories"), Not(HasSubstr("earn less")));
  EXPECT_EQ(server_->sql("mallory", ask), "0");
  EXPECT_EQ(server_->sql("mallory", "SELECT count(*) FROM memd.memories"), "0");
  const std::string of_ada = server_->sql("ada", "SELECT DISTINCT machine FROM memd.memories");
  EXPECT_EQ(server_->sql("bob", "SELECT memd.put_memories(1, '" + of_ada +
                                    "', '', '{use-wal}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')"),
            "refused");
  // What is changed or deleted is so there.
  write("use-wal.md", "Use WAL", "Readers wait for nobody.");
  index();
  ada.sync();
  EXPECT_THAT(bob.ask("memory_search", {{"query", "readers"}}).text, HasSubstr("Readers wait for nobody"));
  std::filesystem::remove(project / ".claude/memory/use-wal.md");
  index();
  ada.sync();
  EXPECT_EQ(server_->sql("ada", "SELECT slug FROM memd.memories"), "payroll");
}

constexpr const char* kOverheats = "The automobile engine overheats whenever the road is steep.";
constexpr const char* kParaphrase = "car motor gets too hot climbing hills";  // no word is the same

TEST_F(TeamTest, WhatOthersSharedIsFoundByItsMeaning) {
  Machine ada("ada", 1);
  ada.says("walnut", 0, kOverheats);
  ada.says("quartz", 1, "Bake sourdough bread with rye flour, salt and water.");
  ada.says("bramble", 2, "The invoice of the supplier lacks the tax number.");
  ada.init(server_->url("ada"));
  admit("bob");
  Machine bob("bob", 20);
  bob.asks_the_server();
  bob.says("lantern", 0, "Which colour has the button?");
  bob.join(server_->url("bob"));
  bob.sync();
  const std::string found = bob.search(kParaphrase);
  EXPECT_THAT(found, AllOf(HasSubstr(ada.session(0) + "#0"), HasSubstr("ada@"), HasSubstr("steep")));
  EXPECT_THAT(found, Not(HasSubstr("sourdough")));
  // By words alone, with a phrase, a condition or an exclusion it is not.
  EXPECT_THAT(bob.ask("semantic_search", {{"query", kParaphrase}, {"mode", "lexical"}}).text, Not(HasSubstr("ada@")));
  for (const std::string more : {" \"too hot\"", " platform:codex", " -engine"})
    EXPECT_THAT(bob.search(kParaphrase + more), Not(HasSubstr(ada.session(0)))) << more;
  // By meaning alone, and by another wording.
  const bj::object by_meaning{{"query", kParaphrase}, {"mode", "semantic"}};
  EXPECT_THAT(bob.ask("semantic_search", by_meaning).text, AllOf(HasSubstr(ada.session(0) + "#0"), HasSubstr("ada@")));
  const bj::object twice{{"query", "colour of the button"}, {"also", bj::array{"lantern", kParaphrase}}};
  const auto by_both = bob.ask("semantic_search", twice);
  EXPECT_THAT(by_both.text, AllOf(HasSubstr(ada.session(0) + "#0"), HasSubstr("Which colour"))) << by_both.structured;
  EXPECT_THAT(by_both.structured, HasSubstr("\"found_by\":[2]"));
  // What has the words comes first, and its meaning counts, too.
  ada.says("acorn", 3, "Why is it that my car motor gets too hot climbing hills?");
  ada.sync();
  const std::string exact = bob.search(kParaphrase);
  EXPECT_LT(exact.find(ada.session(3) + "#0"), exact.find(ada.session(0) + "#0"));
  EXPECT_LT(exact.find(ada.session(0) + "#0"), std::string::npos);
  const auto explained =
      bob.ask("semantic_search", {{"query", "invoice of a supplier without its tax number"}, {"explain", true}});
  EXPECT_THAT(explained.text, testing::ContainsRegex("coverage [^\n]*cosine 0"));
  // Where no vectors are made, words are enough.
  bob.settings().config.embedding.choice.provider = EmbeddingProvider::disabled;
  bob.start();
  EXPECT_THAT(bob.search(kParaphrase), Not(HasSubstr(ada.session(0))));
  EXPECT_THAT(bob.search("sourdough"), HasSubstr("ada@"));
  bob.says("juniper", 1);
  bob.sync();
  EXPECT_EQ(server_->sql("ada", "SELECT count(DISTINCT session_no) FROM memd.vectors"), "5");
  EXPECT_EQ(server_->sql("ada", "SELECT count(DISTINCT session_uid) FROM memd.exchanges"), "6");
}

// With pgvector all vectors of a share are looked at, not the newest ones alone: here two.
TEST_F(TeamTest, AnIndexOfPgvectorFindsAmongAllVectors) {
  if (server_->sql("postgres", "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'") != "1")
    GTEST_SKIP() << "the server does not offer the extension vector (pgvector)";
  Machine ada("ada", 1);
  ada.says("walnut", 0, kOverheats);
  ada.says("quartz", 1, "Bake sourdough bread with rye flour, salt and water.");
  ada.says("bramble", 2, "The invoice of the supplier lacks the tax number.");
  ada.init(server_->url("ada"));
  admit("bob");
  Machine bob("bob", 20);
  bob.asks_the_server();
  bob.says("lantern", 0, "Which colour has the button?");
  bob.join(server_->url("bob"));
  bob.sync();
  for (const std::string name : {"near", "index_commands"})
    server_->sql("ada", "DO $do$ BEGIN EXECUTE replace(pg_get_functiondef('memd." + name +
                            "'::regproc), '60000', '2'); END $do$; ANALYZE memd.vectors");
  EXPECT_EQ(server_->sql("ada", "SELECT memd.index_commands()"), "");
  EXPECT_THAT(bob.search(kParaphrase), Not(HasSubstr(ada.session(0))));
  ASSERT_EQ(server_->sql("postgres", "CREATE EXTENSION vector"), "");
  const std::string command = server_->sql("ada", "SELECT memd.index_commands()");
  ASSERT_THAT(command, testing::StartsWith("CREATE INDEX"));
  EXPECT_THAT(bob.search(kParaphrase), Not(HasSubstr(ada.session(0))));
  ASSERT_EQ(server_->sql("ada", command), "");
  // As one that was broken off.
  server_->sql("postgres",
               "UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE 'memd.signs%'");
  EXPECT_THAT(bob.search(kParaphrase), Not(HasSubstr(ada.session(0))));
  const std::string again = server_->sql("ada", "SELECT memd.index_commands()");
  ASSERT_THAT(again, testing::StartsWith("REINDEX INDEX CONCURRENTLY memd.signs_"));
  ASSERT_EQ(server_->sql("ada", again), "");
  EXPECT_EQ(server_->sql("ada", "SELECT memd.index_commands()"), "");
  EXPECT_THAT(bob.search(kParaphrase), AllOf(HasSubstr(ada.session(0) + "#0"), HasSubstr("ada@")));
  // So few rows are sorted, unless that is to be avoided. A time in the past is looked at without the index.
  const auto near = [&](const std::string& since) {
    return server_->sql("bob",
                        "SET enable_sort = off; SELECT count(*) FROM memd.near('parcel', (SELECT max(model) FROM"
                        " memd.vectors), array_fill(1, '{256}'), repeat('0', 256)::bit varying, '{}', '{}', '{}', " +
                            since +
                            ", 9e15::bigint, '{}', 9); SELECT sum(pg_stat_get_xact_numscans(indexrelid)) FROM pg_index"
                            " WHERE indexrelid::regclass::text LIKE 'memd.signs%'");
  };
  EXPECT_EQ(near("0"), "4\n1");
  EXPECT_EQ(near("1"), "2\n0");
  // What is written and what is forgotten later is so in it, too.
  ada.says("acorn", 3, kOverheats);
  ASSERT_FALSE(ada.call("forget", {{"session", test::TranscriptHome::session_id(1)}, {"yes", true}}).is_error);
  ada.sync();
  EXPECT_EQ(near("0"), "4\n1");
  EXPECT_THAT(bob.search(kParaphrase), AllOf(HasSubstr(ada.session(3) + "#0"), Not(HasSubstr(ada.session(0)))));
}

// A database that was made before there were vectors, and a memd that knows of none.
TEST_F(TeamTest, RowsOfAnOlderMemdGetVectors) {
  Machine ada("ada", 1);
  ada.says("walnut", 0, kOverheats);
  ada.says("quartz", 0);
  ada.says("bramble", 1);
  ada.init(server_->url("ada"));
  const auto vectors = [&] {
    return server_->sql("ada", "SELECT count(DISTINCT (session_no, number)) FROM memd.vectors");
  };
  EXPECT_EQ(vectors(), "3");
  const std::string rows =
      "SELECT string_agg(x.xmin::text, ' ' ORDER BY x.hash) FROM memd.exchanges x WHERE x.machine = (SELECT m.machine "
      "FROM memd.machines m WHERE m.role = 'ada')";
  const std::string before = server_->sql("ada", rows);
  server_->sql("ada",
               "DROP TABLE memd.vectors; ALTER TABLE memd.sessions DROP session_no;"
               "DROP FUNCTION memd.put_vectors, memd.near, memd.index_commands; DELETE FROM memd.migrations WHERE name "
               "= '0005_vectors.sql';"
               "UPDATE memd.sessions SET mark = substring(mark FROM '^[^ ]+ [^ ]+ [^ ]+')");
  admit("bob");
  Machine bob("bob", 20);
  bob.asks_the_server();
  bob.says("lantern");
  bob.join(server_->url("bob"));
  bob.sync();
  EXPECT_THAT(bob.search("walnut"), AllOf(HasSubstr("ada@"), Not(HasSubstr("left out")), Not(HasSubstr("alone"))));
  EXPECT_THAT(bob.search(kParaphrase), Not(HasSubstr("ada@")));
  ada.sync();
  EXPECT_EQ(vectors(), "3");
  EXPECT_EQ(server_->sql("ada", rows), before) << "written again";
  EXPECT_THAT(bob.search(kParaphrase), HasSubstr("ada@"));
  bob.sync();
  EXPECT_EQ(vectors(), "4");
  // What that memd writes again has no vectors of before.
  server_->sql("ada",
               "SELECT memd.put_rows(1, machine, session_uid, who, agent, title, '1 2 3', '{}', '{0}', '{1}',"
               " '{1}', '{1}', '{a}', '{b}', '{c}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')"
               " FROM memd.sessions WHERE session_uid = '" +
                   ada.session(1) + "'");
  EXPECT_EQ(vectors(), "3");
  ada.sync();
  EXPECT_EQ(vectors(), "4");
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
  EXPECT_EQ(server_->sql("mallory", "SELECT count(*) FROM memd.turns('parcel', '" + ada.session(1) + "', 9, 9)"), "0");
  for (const char* table : {"exchanges", "sessions", "changes", "observations", "vectors"})
    EXPECT_EQ(server_->sql("mallory", std::string("SELECT count(*) FROM memd.") + table), "0") << table;
  for (const std::string table : {"exchanges", "vectors"}) {
    const std::string leaf = server_->sql("ada", "SELECT tableoid::regclass FROM memd." + table + " LIMIT 1");
    EXPECT_EQ(server_->sql("mallory", "SELECT count(*) FROM " + leaf), "refused");
  }
  const std::string near =
      "SELECT count(*) FROM memd.near('parcel', (SELECT max(model) FROM memd.vectors), array_fill(1, '{256}'),"
      " repeat('0', 256)::bit varying, '{}', '{}', '{}', 0, 9e15::bigint, '{}', 9)";
  EXPECT_EQ(server_->sql("ada", near), "3");
  EXPECT_EQ(server_->sql("mallory", near), "0");
  // A reader reads; a contributor writes as itself only.
  admit("bob");
  EXPECT_EQ(server_->sql("ada", "SELECT memd.admit('parcel', 'rita', 'reader')"), "");
  EXPECT_EQ(server_->sql("rita", search), "1");
  const std::string of_ada = server_->sql("ada", "SELECT machine FROM memd.machines");
  for (const char* role : {"mallory", "rita", "bob"}) {
    EXPECT_EQ(server_->sql(role, "SELECT memd.take_out(1, '" + of_ada + "', '" + ada.session(1) + "')"), "refused");
    EXPECT_EQ(server_->sql(role, "SELECT memd.remove_rows(1, '" + ada.session(1) + "', NULL, NULL)"), "refused");
    EXPECT_EQ(server_->sql(role, "SELECT memd.put_rows(1, '" + of_ada +
                                     "', 'x', '', '', '', '', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',"
                                     "  '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')"),
              "refused");
    EXPECT_EQ(server_->sql(role, "SELECT memd.put_vectors(1, '" + of_ada + "', '" + ada.session(2) +
                                     "', 1, '{0}', '{1}', '{1}', '{x00}', '{a}')"),
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
  EXPECT_EQ(server_->sql("ada", "SELECT count(*), count(DISTINCT session_no) FROM memd.vectors"), "2|2");
  const std::string rows =
      server_->sql("ada", "SELECT * FROM memd.exchanges") + server_->sql("ada", "TABLE memd.sessions");
  for (const std::string& word : {secret, std::string("Initech"), std::string("umbrella")})
    EXPECT_EQ(rows.find(word), std::string::npos) << word;
  EXPECT_THAT(rows, HasSubstr("walnut"));
  EXPECT_EQ(server_->sql("ada", "SELECT memd.put_rows(1, '" + of_ada + "', '" + ada.session(1) +
                                    "', '', '', '', '', '{}', '{0}', '{1}', '{1}', '{1}', '{a}', '{b}', '{c}',"
                                    " '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')"),
            "");
  EXPECT_EQ(server_->sql("ada", "SELECT memd.put_vectors(1, '" + of_ada + "', '" + ada.session(1) +
                                    "', 1, '{0}', '{1}', '{1}', '{x00}', '{a}')"),
            "");
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.exchanges WHERE question = 'b'"), "0");
  ada.settings().config.exclude.projects = {test::kSharedProject};
  ada.start();
  ada.sync();
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.exchanges"), "0");
  EXPECT_EQ(server_->sql("ada", "SELECT count(*) FROM memd.vectors"), "0");
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
  server_->sql("ada",
               "CREATE FUNCTION memd.search(text, text[], text[], bigint, bigint, text[], integer) RETURNS TABLE"
               " (session_uid text, number integer, who text, agent text, title text, started_at bigint, question text,"
               "  answer text, length integer, bm25 float8, coverage float8) LANGUAGE sql AS"
               " $$ SELECT '', 0, '', '', '', 0::bigint, '', '', 0, 0::float8, 0::float8 FROM pg_sleep(600) $$");
  server_->sql("ada", "ALTER FUNCTION memd.search RENAME TO slow_search");
  server_->sql("ada", "ALTER FUNCTION memd.quick_search RENAME TO search");
  server_->sql("ada",
               "CREATE OR REPLACE FUNCTION memd.near(name text, model bigint, vector integer[], signs bit varying,"
               " uids text[], numbers integer[], without text[], since bigint, until bigint, agents text[],"
               " most integer)"
               " RETURNS TABLE (session_uid text, number integer, who text, agent text, title text, started_at bigint,"
               " question text, answer text, length integer, cosine float8, highest float8, mean float8,"
               " deviation float8, sample bigint) LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); END $$");
  bob.asks_the_server(2000);
  const std::string by_words = bob.search("walnut");
  EXPECT_THAT(first_line(by_words), HasSubstr("searched by words alone"));
  EXPECT_THAT(by_words, HasSubstr("ada@"));
  server_->sql("ada", "ALTER FUNCTION memd.search RENAME TO quick_search");
  server_->sql("ada", "ALTER FUNCTION memd.slow_search RENAME TO search");
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
               "DROP TABLE memd.exchanges, memd.sessions, memd.changes, memd.observations, memd.vectors;"
               "ALTER TABLE memd.shares DROP exchanges, DROP words;"
               "DROP FUNCTION memd.make_month, memd.check_writer, memd.remove_rows, memd.put_rows, memd.take_out,"
               " memd.search, memd.turns, memd.share_with_rows, memd.changes_of, memd.observed, memd.put_vectors,"
               " memd.near, memd.index_commands;"
               "DELETE FROM memd.migrations WHERE name IN ('0002_rows.sql', '0005_vectors.sql', '0006_search.sql')");
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

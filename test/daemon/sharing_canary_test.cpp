// Secrets, private texts, excluded and forgotten sessions on five machines: not a byte of them is at the place, in the
// server's tables, indexes and write-ahead log, in another machine's files, or in an answer.
#include "test/daemon/sharing_machine.hpp"
#include "test/support/canaries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
namespace {

namespace bj = boost::json;
using test::Machine;
using test::Postgres;
using test::SharingTest;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kMachines = 5;
constexpr std::size_t kSecrets = 300;

// Texts to be looked for together, in one pass.
class Needles {
 public:
  void add(const std::string& text) {
    if (text.size() >= 2) by_begin_[begin_of(text, 0)].push_back(text);
  }
  // Returns those that are in the bytes, with what is around them.
  std::vector<std::string> in(std::string_view bytes) const {
    const auto begins = std::make_unique<bool[]>(1 << 16);
    for (const auto& [begin, texts] : by_begin_)
      begins[begin] = true;
    std::vector<std::string> out;
    const bool* const is_begin = begins.get();  // calls of members would take most of the time without optimisation
    const char* const byte = bytes.data();
    for (std::size_t at = 0; at + 1 < bytes.size(); ++at) {
      if (!is_begin[static_cast<unsigned char>(byte[at]) << 8 | static_cast<unsigned char>(byte[at + 1])]) continue;
      for (const std::string& text : by_begin_.at(begin_of(bytes, at)))
        if (bytes.substr(at, text.size()) == text)
          out.push_back(text + ": …" + std::string(bytes.substr(at - std::min<std::size_t>(at, 30), 90)));
    }
    return out;
  }

 private:
  static std::uint16_t begin_of(std::string_view text, std::size_t at) {
    return static_cast<std::uint16_t>(static_cast<unsigned char>(text[at]) << 8 |
                                      static_cast<unsigned char>(text[at + 1]));
  }
  std::map<std::uint16_t, std::vector<std::string>> by_begin_;
};

// Five machines with what must not leave them. Each says "beacon", which is shared.
class SharingCanaries : public SharingTest {
 protected:
  void SetUp() override {
    SharingTest::SetUp();
    if (IsSkipped()) return;
    auto secrets = test::Canaries(20261129).make(2);
    secrets.resize(kSecrets);
    for (const auto& one : secrets)
      for (const auto& piece : one.pieces)
        never_.add(piece);
    for (const char* word : {"Initech", "zebrafish", "xylophone"})
      never_.add(word);
    const std::vector<std::string> people{"ada", "bob", "cem", "dora", "eve"};
    for (std::size_t i = 0; i < kMachines; ++i) {
      machines_.push_back(std::make_unique<Machine>(people[i], 10 * static_cast<int>(i) + 1));
      Machine& m = *machines_.back();
      m.settings().config.exclude.projects = {"clinic"};
      m.start();
      for (std::size_t at = i; at + kMachines < kSecrets; at += 2 * kMachines)
        m.home().turn(m.directory(), session_of(i, 0), time_ += 60'000, "beacon", secrets[at].text,
                      secrets[at + kMachines].text);
      m.home().turn(m.directory(), session_of(i, 0), time_ += 60'000, "beacon",
                    "Fix it. <private>the merger with Initech</private>", "Done, as said by beacon.");
      m.home().turn("/home/" + people[i] + "/clinic", session_of(i, 5), time_ += 60'000, "zebrafish", "zebrafish?",
                    "zebrafish.");
      m.home().turn(m.directory(), session_of(i, 1), time_ += 60'000, "xylophone", "xylophone?", "xylophone.");
      m.home().turn(m.directory(), session_of(i, 2), time_ += 60'000, "umbrella", "umbrella?", "umbrella.");
      m.read();
      forget(m, session_of(i, 1));
    }
  }
  static int session_of(std::size_t machine, int session) { return 10 * static_cast<int>(machine) + 1 + session; }
  static void forget(Machine& machine, int session) {
    const auto done = machine.call("forget", {{"session", test::TranscriptHome::session_id(session)}, {"yes", true}});
    EXPECT_FALSE(done.is_error) << done.text;
  }
  void expect_none_in(const std::string& bytes, std::string_view where) const {
    EXPECT_THAT(bytes, HasSubstr("beacon")) << where;  // what is shared would be seen
    EXPECT_THAT(never_.in(bytes), testing::IsEmpty()) << where;
  }
  void sync_all() {
    for (int round = 0; round < 2; ++round)
      for (auto& m : machines_)
        m->sync();
  }
  // What machines have of each other, and say.
  void expect_none_at_others() {
    for (auto& m : machines_) {
      expect_none_in(test::everything_below(m->data()), "the files of a machine");
      std::string answers = m->search("beacon") + m->search("redacted");
      for (const auto& other : machines_)
        for (int turn = 0; turn < 32; turn += 5)
          answers += m->turn(other->session() + "#" + std::to_string(turn)).text;
      expect_none_in(answers, "answers");
    }
  }
  // A session of each machine that was shared, and is forgotten now.
  void forget_what_was_shared() {
    for (std::size_t i = 0; i < kMachines; ++i)
      forget(*machines_[i], session_of(i, 2));
    sync_all();
    never_.add("umbrella");
  }

  std::vector<std::unique_ptr<Machine>> machines_;
  Needles never_;
  TimeMs time_ = 1'790'000'000'000;
};

TEST_F(SharingCanaries, NoneIsInADirectory) {
  machines_.front()->init(place_.path());
  for (std::size_t i = 1; i < kMachines; ++i)
    machines_[i]->join(place_.path());
  sync_all();
  EXPECT_THAT(at_place(), HasSubstr("umbrella"));
  expect_none_in(at_place(), "the directory");
  forget_what_was_shared();
  expect_none_in(at_place(), "the directory");
  expect_none_at_others();
}

TEST_F(SharingCanaries, AStolenDirectoryOfSealedSegmentsGivesNothing) {
  const auto made = machines_.front()->init(place_.path(), true);
  const std::string invitation(made.at("shares").at(0).at("invitation").as_string());
  for (std::size_t i = 1; i < kMachines; ++i)
    machines_[i]->join(place_.path(), invitation);
  sync_all();
  EXPECT_THAT(machines_.front()->search("umbrella"), HasSubstr("and 4 more with the same text"));
  for (const char* word : {"beacon", "umbrella", "claude_code", "parcel/src", invitation.c_str()})
    EXPECT_THAT(at_place(), Not(HasSubstr(word)));
  // Who has it can neither join nor be let in by what it writes there.
  Machine thief("mallory", 90);
  test::TempDir stolen;
  std::filesystem::copy(place_.path(), stolen.path(), std::filesystem::copy_options::recursive);
  for (const std::string& guess : {std::string(), std::string(64, '0')}) {
    const auto tried = thief.call("share", {{"action", "join"},
                                            {"project", test::kSharedProject},
                                            {"place", stolen.path().string()},
                                            {"invitation", guess}});
    EXPECT_TRUE(tried.is_error) << tried.text;
  }
  EXPECT_TRUE(thief.contents().empty());
}

TEST_F(SharingCanaries, NoneIsOnAServer) {
  if (Postgres::programs().empty()) GTEST_SKIP() << "no PostgreSQL server is installed (apt: postgresql)";
  Postgres server;
  const std::vector<std::string> people{"ada", "bob", "cem", "dora", "eve"};
  for (std::size_t i = 0; i < kMachines; ++i) {
    if (i > 0) {
      server.sql("postgres", "CREATE ROLE " + people[i] + " LOGIN");
      EXPECT_EQ(server.sql("ada", "SELECT memd.admit('parcel', '" + people[i] + "')"), "");
    }
    if (i == 0)
      machines_[i]->init(server.url(people[i]));
    else
      machines_[i]->join(server.url(people[i]));
  }
  sync_all();
  // All tables, with the segments opened.
  const auto everything = [&] {
    std::string out = server.sql("postgres", "SELECT * FROM memd.exchanges") +
                      server.sql("postgres", "TABLE memd.sessions") +
                      server.sql("postgres", "TABLE memd.observations") +
                      server.sql("postgres", "SELECT string_agg(s::text, '') FROM pg_statistic s");
    for (auto& m : machines_)
      out += all_of(m->data() / "shared");
    return out;
  };
  expect_none_in(server.files(), "files, before a checkpoint");
  EXPECT_THAT(everything(), HasSubstr("umbrella"));
  expect_none_in(everything(), "tables");
  server.sql("postgres", "VACUUM ANALYZE");
  forget_what_was_shared();
  expect_none_in(everything(), "tables, after forgetting");
  // What docs/team-database.md tells who runs the server to do.
  server.sql("postgres", "ALTER SYSTEM SET wal_recycle = off");
  server.sql("postgres", "SELECT pg_reload_conf()");
  server.sql("postgres", "VACUUM FULL ANALYZE");
  for (int i = 0; i < 2; ++i) {
    server.sql("postgres", "SELECT pg_switch_wal()");
    server.sql("postgres", "CHECKPOINT");
  }
  expect_none_in(server.files(), "files, after VACUUM FULL and a checkpoint");
  expect_none_at_others();

  // A role that is no member. Whatever it asks gives an error, nothing, or nothing that anybody wrote.
  server.sql("postgres", "CREATE ROLE mallory LOGIN");
  const std::string relations = server.sql(
      "postgres",
      "SELECT c.oid::regclass FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace"
      " WHERE c.relkind IN ('r', 'p', 't') AND (n.nspname = 'memd' OR c.relnamespace = 'pg_toast'::regnamespace)"
      " AND c.oid >= 16384");
  std::istringstream names(relations);
  std::string seen;
  int asked = 0;
  for (std::string name; std::getline(names, name); ++asked) {
    const std::string rows = server.sql("mallory", "SELECT count(*) FROM " + name);
    EXPECT_TRUE(rows == "refused" || rows == "0" || name == "memd.migrations") << name << ": " << rows;
    seen += server.sql("mallory", "COPY " + name + " TO STDOUT");
  }
  EXPECT_GT(asked, 8);
  const std::string uid = machines_.front()->session();
  for (const std::string& statement : std::vector<std::string>{
           "SELECT * FROM memd.search('parcel', ARRAY[quote_literal('beacon')], '{}', 0, 9e15::bigint, '{}', 9)",
           "SELECT * FROM memd.turns('parcel', '" + uid + "', 9, 9)",
           "SELECT * FROM pg_stats WHERE schemaname = 'memd'", "SELECT * FROM pg_statistic",
           "SELECT * FROM memd.put(1, 'share.json', '', '')", "SELECT pg_read_file('log')", "SELECT memd.level_of(1)",
           "SET ROLE ada; TABLE memd.files"})
    seen += server.sql("mallory", statement);
  EXPECT_THAT(seen, Not(HasSubstr("beacon")));
  EXPECT_THAT(seen, Not(HasSubstr("claude_code")));
}

}  // namespace
}  // namespace memd

#include "schemas/base/error.hpp"
#include "test/adapters/opencode_case.hpp"
#include "test/adapters/snapshot_follower.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

// A database that changes while memd follows it: what is found, and how much is read.
namespace memd {
namespace {

using KeyList = std::vector<std::string>;

const Adapter& opencode_changes_opencode() { return *find_adapter(Platform::opencode); }

class OpencodeChanges : public testing::Test {
 protected:
  OpencodeChanges() : path_((data_ / "opencode.db").string()), writer_(std::make_unique<test::WrittenDatabase>(path_)) {
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    run(test::bytes_of(test::opencode_golden() / "schema_1x.sql"));
    Source source;
    source.path = path_;
    follower_ = std::make_unique<test::SnapshotFollower>(opencode_changes_opencode(), source, files_);
  }

  void run(const std::string& sql) { writer_->run(sql); }
  void add_session(const std::string& id, std::int64_t time) {
    const std::string t = std::to_string(time);
    run("INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES ('" +
        id + "', 'global', '', '/w', 'T', '1', " + t + ", " + t + ")");
  }
  void add_message(const std::string& session, const std::string& id, std::int64_t time,
                   const std::string& parent = {}) {
    const std::string t = std::to_string(time);
    const std::string role = parent.empty() ? R"("role":"user")" : R"("role":"assistant","parentID":")" + parent + "\"";
    run("INSERT INTO message VALUES ('" + id + "', '" + session + "', " + t + ", " + t + ", '{" + role + "}')");
  }
  void add_part(const std::string& session, const std::string& message, const std::string& id, std::int64_t time,
                const std::string& text) {
    const std::string t = std::to_string(time);
    run("INSERT INTO part VALUES ('" + id + "', '" + message + "', '" + session + "', " + t + ", " + t +
        R"(, '{"type":"text","text":")" + text + "\"}')");
  }
  void add_turn(const std::string& session, int n, std::int64_t time) {
    const std::string suffix = std::to_string(100000 + n);
    add_message(session, "msg_" + session + suffix + "a", time);
    add_part(session, "msg_" + session + suffix + "a", "prt_" + session + suffix + "a", time, "question");
    add_message(session, "msg_" + session + suffix + "b", time + 1, "msg_" + session + suffix + "a");
    add_part(session, "msg_" + session + suffix + "b", "prt_" + session + suffix + "b", time + 1, "answer");
  }
  test::SnapshotFollower::Look look() { return follower_->look(); }

  test::TempDir data_;
  std::string path_;
  std::unique_ptr<test::WrittenDatabase> writer_;
  DiskView files_;
  std::unique_ptr<test::SnapshotFollower> follower_;
};

TEST_F(OpencodeChanges, FindsWhatStreamsIn) {
  for (int s = 0; s < 20; ++s) {
    add_session("ses_" + std::to_string(10 + s), 1000 + s);
    add_turn("ses_" + std::to_string(10 + s), 1, 1000 + s);
  }
  EXPECT_EQ(look().read.size(), 20u);
  EXPECT_TRUE(look().unchanged);

  // A prompt arrives and is answered part by part; the rows of the answer are updated in place.
  run("UPDATE session SET time_updated = 5000 WHERE id = 'ses_12'");
  add_message("ses_12", "msg_x1", 5000);
  add_part("ses_12", "msg_x1", "prt_x1", 5000, "next");
  auto found = look();
  EXPECT_EQ(found.read, (std::map<std::string, KeyList>{{"ses_12", {"msg_x1"}}}));
  add_message("ses_12", "msg_x2", 5001, "msg_x1");
  EXPECT_EQ(look().read, (std::map<std::string, KeyList>{{"ses_12", {"msg_x2"}}}));
  for (int i = 0; i < 3; ++i) {
    if (i == 0) add_part("ses_12", "msg_x2", "prt_x2", 5002, "");
    run(R"(UPDATE part SET data = '{"type":"text","text":"more)" + std::to_string(i) +
        "\"}', time_updated = " + std::to_string(5010 + i) + " WHERE id = 'prt_x2'");
    found = look();
    EXPECT_EQ(found.read, (std::map<std::string, KeyList>{{"ses_12", {"msg_x2"}}})) << i;
    EXPECT_LE(found.sessions.size(), 2u);
  }
  run("UPDATE message SET time_updated = 5020 WHERE id = 'msg_x2'");  // the tokens changed
  EXPECT_EQ(look().read, (std::map<std::string, KeyList>{{"ses_12", {"msg_x2"}}}));
  EXPECT_TRUE(look().unchanged);
}

// An old session that changed without a new row is found through the event that newer versions write.
TEST_F(OpencodeChanges, EventsTellOfSessionsThatAreNotActive) {
  for (int s = 0; s < 20; ++s) {
    add_session("ses_" + std::to_string(10 + s), 1000 + s);
    add_turn("ses_" + std::to_string(10 + s), 1, 1000 + s);
  }
  look();
  run("UPDATE part SET time_updated = 9000 WHERE session_id = 'ses_10' AND id LIKE '%b'");
  run("INSERT INTO event VALUES ('evt_1', 'ses_10', 1, 'message.part.updated.1', '{}')");
  EXPECT_EQ(look().read, (std::map<std::string, KeyList>{{"ses_10", {"msg_ses_10100001b"}}}));
}

TEST_F(OpencodeChanges, WhatIsTakenBackIsNotShown) {
  add_session("ses_1", 1000);
  for (int n = 1; n <= 3; ++n)
    add_turn("ses_1", n, 1000 * n);
  look();
  run(R"(UPDATE session SET revert = '{"messageID":"msg_ses_1100002a"}', time_updated = 9000)");
  auto found = look();
  EXPECT_TRUE(found.read.empty());
  EXPECT_EQ(found.vanished["ses_1"].size(), 4u);
  EXPECT_EQ(follower_->shown("ses_1"), (KeyList{"msg_ses_1100001a", "msg_ses_1100001b"}));
  run("UPDATE session SET revert = NULL, time_updated = 9001");
  EXPECT_EQ(look().unexamined, 2u);
  EXPECT_EQ(follower_->shown("ses_1").size(), 6u);
  // The next prompt deletes for good the messages that were reverted.
  run("DELETE FROM part WHERE message_id >= 'msg_ses_1100002a'; DELETE FROM message WHERE id >= 'msg_ses_1100002a'");
  add_turn("ses_1", 9, 9002);
  found = look();
  EXPECT_EQ(found.vanished["ses_1"].size(), 4u);
  EXPECT_EQ(found.read["ses_1"].size(), 2u);
}

TEST_F(OpencodeChanges, ANewGenerationIsReadInPlaceOfTheOld) {
  add_session("ses_1", 1000);
  add_turn("ses_1", 1, 1000);
  add_session("ses_2", 1100);
  add_turn("ses_2", 1, 1100);
  look();
  run("CREATE TABLE session_v2 AS SELECT * FROM session");
  run(R"(INSERT INTO session_message SELECT id, session_id, 'user', time_created, time_updated,)"
      R"( '{"text":"question"}', 1 FROM message WHERE session_id = 'ses_1' AND id LIKE '%a')");
  const auto found = look();
  EXPECT_EQ(found.read.at("ses_1"), KeyList{"msg_ses_1100001a"});
  EXPECT_FALSE(found.read.contains("ses_2"));
  EXPECT_EQ(follower_->shown("ses_2").size(), 2u);
}

TEST_F(OpencodeChanges, AMarkThatMeansNothingReadsEverything) {
  add_session("ses_1", 1000);
  for (int n = 1; n <= 5; ++n)
    add_turn("ses_1", n, 1000 * n);
  look();
  for (const std::string mark :
       {"", "oc2", "oc2|||||||||", "oc9|x|1|2|3|4|5|6|a=1,|z", "oc2|session+1e|1|99|99|0|0|7||x"}) {
    follower_->set_mark(mark);
    const auto found = look();
    EXPECT_EQ(found.sessions, KeyList{"ses_1"}) << mark;
    EXPECT_TRUE(found.read.empty()) << mark;  // it has no new items
  }
  // Row ids start again.
  run("DELETE FROM part WHERE message_id < 'msg_ses_1100005'; DELETE FROM message WHERE id < 'msg_ses_1100005'; "
      "VACUUM");
  EXPECT_EQ(look().vanished["ses_1"].size(), 8u);
}

std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t value = 0;
  while (io >> name >> value)
    if (name == "rchar:") return value;
  return 0;
}

// After one more part in a large history, little is read. MEMD_LARGE_PARTS sets another number of parts.
TEST_F(OpencodeChanges, LittleIsReadWhenLittleChanged) {
  const char* set = std::getenv("MEMD_LARGE_PARTS");
  const int parts = set != nullptr ? std::atoi(set) : 20'000;
  constexpr int kSessions = 40;
  const int turns = parts / kSessions / 2;
  run("BEGIN");
  for (int s = 0; s < kSessions; ++s) {
    const std::string id = "ses_" + std::to_string(10 + s);
    add_session(id, 1000 + s);
    for (int n = 0; n < turns; ++n)
      add_turn(id, n, 10 * n);
  }
  run("UPDATE part SET data = json_set(data, '$.text', hex(zeroblob(400)))");
  run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  using Clock = std::chrono::steady_clock;
  const auto measure = [&](const std::string& what, test::SnapshotFollower::Look& found) {
    const auto before = bytes_read();
    const auto start = Clock::now();
    found = look();
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    const auto read = bytes_read() - before;
    RecordProperty(what + "_bytes", std::to_string(read));
    RecordProperty(what + "_ms", std::to_string(ms));
    if (set != nullptr) std::printf("%s: %.1f ms, %.2f MB\n", what.c_str(), ms, static_cast<double>(read) / 1e6);
    return read;
  };
  test::SnapshotFollower::Look found;
  const auto all = measure("first look", found);
  EXPECT_EQ(found.read.size(), std::size_t{kSessions});

  const std::string last = "msg_ses_30" + std::to_string(100000 + turns - 1) + "b";
  run("UPDATE session SET time_updated = 99999999 WHERE id = 'ses_30'");
  add_part("ses_30", last, "prt_new", 99999999, "one more piece");
  const auto grown = measure("a part more", found);
  EXPECT_EQ(found.read, (std::map<std::string, KeyList>{{"ses_30", {last}}}));
  EXPECT_GT(found.unexamined, 200u);
  run("UPDATE part SET time_updated = 100000001 WHERE id = 'prt_new'");
  const auto updated = measure("a part updated", found);
  EXPECT_EQ(found.read, (std::map<std::string, KeyList>{{"ses_30", {last}}}));
  const auto nothing = measure("nothing", found);
  EXPECT_TRUE(found.unchanged);
  if (all == 0) GTEST_SKIP() << "no /proc/self/io";
  EXPECT_LT(grown, 1'000'000u);
  EXPECT_LT(updated, 1'000'000u);
  EXPECT_LT(nothing, 4096u);
}

// Another process writes without a busy timeout; the reader reads all the time and never blocks it. The writer is
// restarted now and then, because a reader could block it longest while it opens the database.
TEST_F(OpencodeChanges, TheWriterIsNeverHeldUp) {
  add_session("ses_1", 1000);
  add_turn("ses_1", 1, 1000);
  writer_.reset();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int failures = 0;
    try {
      writer_ = std::make_unique<test::WrittenDatabase>(path_, 0);
      for (int i = 2; i < 400; ++i)
        try {
          if (i % 4 == 0) {
            writer_.reset();
            writer_ = std::make_unique<test::WrittenDatabase>(path_, 0);
          }
          add_turn("ses_1", i, 1000 + i);
          run("UPDATE session SET time_updated = " + std::to_string(1000 + i));
          if (i % 50 == 0) run("PRAGMA wal_checkpoint(PASSIVE)");
        } catch (const std::exception&) {
          ++failures;
        }
      writer_.reset();
    } catch (const std::exception&) {
      failures = 100;
    }
    ::_exit(std::min(failures, 100));
  }
  Source source;
  source.path = path_;
  int status = 0;
  int looks = 0;
  int busy = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const auto reader = opencode_changes_opencode().open_snapshot(source, files_);
    const auto plan = reader->plan("");
    const auto session =
        plan ? reader->session("ses_1", {}) : Result<std::optional<SnapshotReader::Session>>(plan.error());
    if (session && *session && !(*session)->items.empty()) (void)reader->item("ses_1", (*session)->items.back().key);
    if (!session) {
      EXPECT_TRUE(session.error().is(Errc::busy)) << session.error().message();
      ++busy;
    }
    ++looks;
  }
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_GT(looks, busy);
  look();
  EXPECT_EQ(follower_->shown("ses_1").size(), 2u * 399);
}

}  // namespace
}  // namespace memd

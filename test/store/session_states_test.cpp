// The states that sessions really go through, as a trigger sees them; and how agents hang under who started them.
#include "schemas/ids.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "store/write/writer.hpp"
#include "test/support/event_script.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace memd {
namespace {

using State = SessionState;
constexpr TimeMs kSessionStatesStart = 1'770'000'000'000;

class SessionStatesTest : public testing::Test {
 protected:
  SessionStatesTest() {
    reopen();
    auto db = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
    db.exec(
        "CREATE TABLE seen (uid TEXT, old INTEGER, new INTEGER);"
        "CREATE TRIGGER seen_change AFTER UPDATE OF state ON sessions WHEN old.state <> new.state"
        " BEGIN INSERT INTO seen VALUES (new.uid, old.state, new.state); END");
    reopen();
  }
  void reopen() {
    writer_.reset();
    writer_ = Writer::open(file_, clock_).value();
  }
  void apply(EventBatch batch) {
    SourceSlice slice;
    slice.source.platform = Platform::claude_code;
    slice.source.path = "/h/t.jsonl";
    slice.batch = std::move(batch);
    ASSERT_TRUE(writer_->apply(slice));
    ASSERT_TRUE(writer_->commit());
  }
  void say(const std::string& uid, TimeMs time) {
    EventBatch batch;
    Event& e = batch.events.emplace_back();
    e.session_uid = uid;
    e.event_id = record_key(Platform::claude_code, uid + std::to_string(++said_));
    e.time = time;
    e.kind = EventKind::user_msg;
    e.role = Role::user;
    e.starts_exchange = true;
    e.text = "words";
    apply(std::move(batch));
  }
  void introduce(const std::string& uid, const std::string& parent = {}, std::string call = {}) {
    EventBatch batch;
    SessionUpdate& u = batch.sessions.emplace_back();
    u.session_uid = uid;
    u.platform = Platform::claude_code;
    u.native_id = split_session_uid(uid)->native_id;
    u.kind = parent.empty() ? SessionKind::main : SessionKind::subagent;
    u.parent_uid = parent;
    u.parent_call_id = std::move(call);
    u.description = "known";
    apply(std::move(batch));
  }
  State state(const std::string& uid) {
    auto db = sqlite::Database::open(file_, sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), "SELECT state FROM sessions WHERE uid = ?1");
    q.bind_at(1, uid);
    EXPECT_TRUE(q.step());
    return static_cast<State>(q.int64(0));
  }
  // What one commit changed may be two steps: a session read long after its end is active and stopped at once.
  void check_transitions(std::size_t at_least) {
    auto db = sqlite::Database::open(file_, sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), "SELECT uid, old, new FROM seen");
    std::size_t seen = 0;
    while (q.step()) {
      ++seen;
      const auto from = static_cast<State>(q.int64(1));
      const auto to = static_cast<State>(q.int64(2));
      const bool both_at_once = from == State::started && to == State::stopped;
      EXPECT_TRUE(is_legal_transition(from, to) || both_at_once)
          << q.str(0) << ": " << to_string(from) << " -> " << to_string(to);
    }
    EXPECT_GE(seen, at_least);
  }

  test::TempDir dir_;
  std::filesystem::path file_ = dir_ / "memd.db";
  test::FakeClock clock_{kSessionStatesStart};
  std::unique_ptr<Writer> writer_;
  int said_ = 0;
};

TEST_F(SessionStatesTest, FromTheFirstWordToTheLast) {
  const std::string uid = "claude_code:s";
  introduce(uid);
  EXPECT_EQ(state(uid), State::started);
  say(uid, kSessionStatesStart);
  EXPECT_EQ(state(uid), State::active);
  clock_.advance(kIdleStops + 1000);
  introduce(uid);  // heard of again, but nothing said
  say(uid, kSessionStatesStart + 1);
  EXPECT_EQ(state(uid), State::stopped);
  say(uid, clock_.now());  // resumed
  EXPECT_EQ(state(uid), State::active);
  say("claude_code:old", kSessionStatesStart - kIdleStops);
  EXPECT_EQ(state("claude_code:old"), State::stopped);
  check_transitions(4);
}

TEST_F(SessionStatesTest, ASessionWithoutWordsNeverStops) {
  introduce("claude_code:s");
  clock_.advance(10 * kIdleStops);
  reopen();
  introduce("claude_code:s");
  EXPECT_EQ(state("claude_code:s"), State::started);
  check_transitions(0);
}

// Whatever happens in whatever order, with a new process now and then.
TEST_F(SessionStatesTest, RandomLivesTakeLegalStepsOnly) {
  std::mt19937 random(20260209);
  std::map<std::string, int> lives;
  for (int step = 0; step < 600; ++step) {
    const std::string uid = "claude_code:s" + std::to_string(random() % 7);
    switch (random() % 6) {
      case 0: introduce(uid); break;
      case 1: clock_.advance(static_cast<TimeMs>(random() % (2 * kIdleStops))); break;
      case 2: reopen(); break;
      case 3: say(uid, clock_.now() - static_cast<TimeMs>(random() % (3 * kIdleStops))); break;
      default: say(uid, clock_.now()); break;
    }
    ++lives[uid];
  }
  EXPECT_EQ(lives.size(), 7u);
  check_transitions(20);
}

TEST_F(SessionStatesTest, AgentsHangUnderWhoStartedThem) {
  const std::string parent = "claude_code:p";
  introduce("claude_code:p/agent-1", parent, "toolu_1");
  say("claude_code:p/agent-1", kSessionStatesStart + 5000);
  introduce("claude_code:p/agent-2", parent, "toolu_2");
  say("claude_code:p/agent-2", kSessionStatesStart + 1000);
  introduce("claude_code:p/agent-2/agent-3", "claude_code:p/agent-2", "toolu_3");
  say("claude_code:p/agent-2/agent-3", kSessionStatesStart + 2000);

  Reader reader(file_);
  auto known = reader.ask(SessionQuery{parent});
  ASSERT_TRUE(known);  // made for its agents' sake, with their span of time and nothing else
  EXPECT_EQ(known->started_at, kSessionStatesStart + 1000);
  EXPECT_EQ(known->ended_at, kSessionStatesStart + 5000);
  EXPECT_EQ(known->kind, SessionKind::main);
  EXPECT_EQ(known->exchanges, 0);
  const auto agents = reader.ask(SubagentsQuery{parent}).value();
  ASSERT_EQ(agents.size(), 2u);
  EXPECT_EQ(agents[0].uid, "claude_code:p/agent-2");  // in the order they started
  EXPECT_EQ(agents[1].uid, "claude_code:p/agent-1");
  for (const auto& agent : agents) {
    EXPECT_EQ(agent.parent_uid, parent);
    EXPECT_EQ(agent.kind, SessionKind::subagent);
  }
  ASSERT_EQ(reader.ask(SubagentsQuery{"claude_code:p/agent-2"}).value().size(), 1u);

  say(parent, kSessionStatesStart);
  known = reader.ask(SessionQuery{parent});
  EXPECT_EQ(known->started_at, kSessionStatesStart);
  EXPECT_EQ(known->exchanges, 1);
  EXPECT_EQ(reader.ask(SubagentsQuery{parent}).value().size(), 2u);
  SessionListQuery main_only;
  main_only.filter.include_subagents = false;
  EXPECT_EQ(reader.ask(main_only).value().total, 1);
}

}  // namespace
}  // namespace memd

// The states of sessions as readers see them at each moment, and subagents with their parents.
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
  SessionStatesTest() { reopen(); }
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
  Event& add(EventBatch& batch, const std::string& uid, TimeMs time, EventKind kind) {
    Event& e = batch.events.emplace_back();
    e.session_uid = uid;
    e.event_id = record_key(Platform::claude_code, uid + std::to_string(++said_));
    e.time = time;
    e.kind = kind;
    return e;
  }
  void say(const std::string& uid, TimeMs time) {
    EventBatch batch;
    Event& e = add(batch, uid, time, EventKind::user_msg);
    e.role = Role::user;
    e.starts_exchange = true;
    e.text = "words";
    apply(std::move(batch));
  }
  void note(const std::string& uid, TimeMs time, const std::string& lifecycle) {
    EventBatch batch;
    add(batch, uid, time, EventKind::lifecycle).lifecycle = lifecycle;
    apply(std::move(batch));
  }
  static SessionUpdate about(const std::string& uid) {
    SessionUpdate u;
    u.session_uid = uid;
    u.platform = Platform::claude_code;
    u.native_id = split_session_uid(uid)->native_id;
    return u;
  }
  void introduce(const std::string& uid, const std::string& parent = {}, std::string call = {}) {
    EventBatch batch;
    SessionUpdate u = about(uid);
    u.kind = parent.empty() ? SessionKind::main : SessionKind::subagent;
    u.parent_uid = parent;
    u.parent_call_id = std::move(call);
    u.description = "known";
    batch.sessions.push_back(std::move(u));
    apply(std::move(batch));
  }
  SessionRow row(const std::string& uid) {
    Reader reader(file_);
    return reader.ask(SessionQuery{uid}).value();
  }
  State state(const std::string& uid) { return row(uid).life.state(clock_.now(), kStoppedAfter); }
  TimeMs ended_at(const std::string& uid) { return row(uid).life.ended_at(clock_.now(), kStoppedAfter); }

  test::TempDir dir_;
  std::filesystem::path file_ = dir_ / "memd.db";
  test::FakeClock clock_{kSessionStatesStart};
  std::unique_ptr<Writer> writer_;
  int said_ = 0;
};

TEST_F(SessionStatesTest, SilenceStopsItWhetherOrNotItIsWrittenAgain) {
  const std::string uid = "claude_code:s";
  introduce(uid);
  EXPECT_EQ(state(uid), State::started);
  say(uid, kSessionStatesStart);
  EXPECT_EQ(state(uid), State::active);
  writer_.reset();  // no daemon runs that could settle the state
  clock_.advance(kStoppedAfter - 1);
  EXPECT_EQ(state(uid), State::active);
  EXPECT_EQ(ended_at(uid), 0);
  clock_.advance(1);
  EXPECT_EQ(state(uid), State::stopped);
  EXPECT_EQ(ended_at(uid), kSessionStatesStart);
  reopen();
  introduce(uid);  // mentioned again, but without an event
  EXPECT_EQ(state(uid), State::stopped);
  say(uid, clock_.now());
  EXPECT_EQ(state(uid), State::active);
  say("claude_code:old", kSessionStatesStart - kStoppedAfter);
  EXPECT_EQ(state("claude_code:old"), State::stopped);
  EXPECT_EQ(row(uid).life.state(clock_.now() + 2000, 2000), State::stopped) << "as long a silence as is configured";
}

TEST_F(SessionStatesTest, AnExitStopsItAtOnceAndALaterPromptResumesIt) {
  const std::string uid = "claude_code:s";
  say(uid, kSessionStatesStart);
  note(uid, kSessionStatesStart + 5000, "session_stop");
  EXPECT_EQ(state(uid), State::stopped);
  EXPECT_EQ(ended_at(uid), kSessionStatesStart + 5000);
  note(uid, kSessionStatesStart + 5001, "command_output");  // printed by the client on exit
  EXPECT_EQ(state(uid), State::stopped);
  reopen();
  EXPECT_EQ(state(uid), State::stopped);
  say(uid, kSessionStatesStart + 9000);
  EXPECT_EQ(state(uid), State::active);
  note(uid, kSessionStatesStart + 10'000, "session_stop");
  note(uid, kSessionStatesStart + 11'000, "session_resume");
  EXPECT_EQ(state(uid), State::active);
}

TEST_F(SessionStatesTest, WhatThePlatformSaysOfTheEndHoldsUntilSomethingFollows) {
  const std::string uid = "claude_code:s";
  const auto ended = [&](TimeMs time) {
    EventBatch batch;
    batch.sessions.push_back(about(uid));
    batch.sessions.back().ended_at = batch.sessions.back().stopped_at = time;
    return batch;
  };
  say(uid, kSessionStatesStart);
  apply(ended(kSessionStatesStart + 1000));
  EXPECT_EQ(state(uid), State::stopped);
  say(uid, kSessionStatesStart + 1000);  // written late, but not later than the end
  EXPECT_EQ(state(uid), State::stopped);
  say(uid, kSessionStatesStart + 2000);
  EXPECT_EQ(state(uid), State::active);
  apply(ended(kSessionStatesStart + 1000));  // the same manifest, read again
  EXPECT_EQ(state(uid), State::active);
}

TEST_F(SessionStatesTest, TimesThatAreMissingOrAheadCountAsTheTimeOfWriting) {
  say("claude_code:timeless", 0);
  say("claude_code:ahead", kSessionStatesStart + 1000 * kMsPerDay);
  EXPECT_EQ(state("claude_code:timeless"), State::active);
  EXPECT_EQ(state("claude_code:ahead"), State::active);
  clock_.advance(kStoppedAfter);
  EXPECT_EQ(state("claude_code:timeless"), State::stopped);
  EXPECT_EQ(state("claude_code:ahead"), State::stopped);
  EXPECT_EQ(ended_at("claude_code:ahead"), kSessionStatesStart);
}

TEST_F(SessionStatesTest, CaptureThatEndsIsToldOfSessionsThatGoOn) {
  for (const char* uid : {"claude_code:on", "claude_code:exited", "claude_code:silent"})
    say(uid, uid == std::string("claude_code:silent") ? kSessionStatesStart - kStoppedAfter : kSessionStatesStart);
  note("claude_code:exited", kSessionStatesStart, "session_stop");
  ASSERT_TRUE(writer_->disable_capture(Platform::claude_code, "no adapter"));
  ASSERT_TRUE(writer_->commit());
  reopen();  // the writer's memory does not overwrite it
  EXPECT_EQ(state("claude_code:on"), State::capture_disabled);
  EXPECT_EQ(state("claude_code:exited"), State::stopped);
  EXPECT_EQ(state("claude_code:silent"), State::stopped);
  clock_.advance(kStoppedAfter);
  EXPECT_EQ(state("claude_code:on"), State::stopped);
  say("claude_code:on", clock_.now());  // a newer memd captures it again
  EXPECT_EQ(state("claude_code:on"), State::active);
}

// Random events in random order, with restarts: all transitions are legal, the list agrees with the row, and each
// session is in the list of exactly one state.
TEST_F(SessionStatesTest, RandomLivesTakeLegalStepsOnly) {
  const std::map<State, std::set<State>> legal{
      {State::started, {State::active, State::stopped}},  // both at once if silent from the first event on
      {State::active, {State::stopped, State::capture_disabled}},
      {State::capture_disabled, {State::stopped, State::active}},  // active when capture works again
      {State::stopped, {State::active}}};
  std::mt19937 random(20260209);
  std::map<std::string, State> lives;
  std::map<std::pair<State, State>, int> steps;
  for (int step = 0; step < 200; ++step) {
    const std::string uid = "claude_code:s" + std::to_string(random() % 7);
    switch (random() % 9) {
      case 0: introduce(uid); break;
      case 1: clock_.advance(static_cast<TimeMs>(random() % (2 * kStoppedAfter))); break;
      case 2: reopen(); break;
      case 3: say(uid, clock_.now() - static_cast<TimeMs>(random() % (3 * kStoppedAfter))); break;
      case 4: note(uid, clock_.now(), "session_stop"); break;
      case 5:
        ASSERT_TRUE(writer_->disable_capture(Platform::claude_code, "no adapter"));
        ASSERT_TRUE(writer_->commit());
        reopen();
        break;
      default: say(uid, clock_.now()); break;
    }
    clock_.advance(1);
    std::map<std::string, State> listed;
    Reader reader(file_);
    for (const State wanted : {State::started, State::active, State::stopped, State::capture_disabled}) {
      SessionListQuery query;
      query.state = {wanted, clock_.now(), kStoppedAfter};
      query.placeholders = true;
      const auto list = reader.ask(query).value();
      EXPECT_EQ(list.total, static_cast<std::int64_t>(list.sessions.size()));
      for (const SessionRow& s : list.sessions) {
        EXPECT_TRUE(listed.emplace(s.uid, wanted).second) << s.uid << " is in two states";
        EXPECT_EQ(s.life.state(clock_.now(), kStoppedAfter), wanted) << s.uid;
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(listed.size()),
              reader.ask(SessionListQuery{.placeholders = true}).value().total);
    for (const auto& [session, now] : listed) {
      const auto [life, first] = lives.emplace(session, State::started);
      const State before = std::exchange(life->second, now);
      if (before == now) continue;
      ++steps[{before, now}];
      EXPECT_TRUE(legal.at(before).contains(now))
          << session << " at step " << step << ": " << to_string(before) << " -> " << to_string(now);
    }
  }
  EXPECT_EQ(lives.size(), 7u);
  EXPECT_GE(steps.size(), 5u) << "most steps are taken";
}

TEST_F(SessionStatesTest, APlaceholderIsNotTheLatestAndInNoListThatDoesNotAskForIt) {
  const std::string real = "claude_code:real";
  say(real, kSessionStatesStart);
  note("claude_code:modes", kSessionStatesStart + 9000, "mode_change");
  introduce("claude_code:lost/agent-1", "claude_code:lost");
  say("claude_code:lost/agent-1", kSessionStatesStart + 7000);
  introduce("claude_code:linked");

  Reader reader(file_);
  EXPECT_EQ(reader.ask(SessionQuery{"latest"}).value().uid, real);
  const auto uids = [&](const SessionListQuery& query) {
    std::set<std::string> out;
    for (const SessionRow& s : reader.ask(query).value().sessions)
      out.insert(s.uid);
    return out;
  };
  const std::set<std::string> with_words{real, "claude_code:lost/agent-1"};
  EXPECT_EQ(uids({}), with_words);
  EXPECT_EQ(uids({.filter = {.include_subagents = false}}), std::set<std::string>{real});
  EXPECT_EQ(uids({.placeholders = true}).size(), 5u);
  EXPECT_EQ(reader.ask(TypedSessionsQuery{{}, "", 20}).value().total, 2);
  EXPECT_EQ(reader.ask(SessionQuery{"claude_code:modes"}).value().uid, "claude_code:modes") << "its id finds it";
  EXPECT_EQ(reader.ask(SubagentsQuery{"claude_code:lost"}).value().size(), 1u);

  clock_.advance(10 * kStoppedAfter);
  EXPECT_EQ(state("claude_code:linked"), State::started) << "it has no time to be silent since";
  EXPECT_EQ(ended_at("claude_code:linked"), 0);
}

TEST_F(SessionStatesTest, WithoutATimeNobodyKnowsWhenItEnded) {
  say("claude_code:timeless", 0);
  clock_.advance(kStoppedAfter);
  EXPECT_EQ(state("claude_code:timeless"), State::stopped);
  EXPECT_EQ(row("claude_code:timeless").end_time(clock_.now(), kStoppedAfter), 0) << "not the time of reading";
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
  ASSERT_TRUE(known);  // created for its subagents, with their time span and nothing else
  EXPECT_EQ(known->started_at, kSessionStatesStart + 1000);
  EXPECT_EQ(known->ended_at, kSessionStatesStart + 5000);
  EXPECT_EQ(known->kind, SessionKind::main);
  EXPECT_EQ(known->exchanges, 0);
  const auto agents = reader.ask(SubagentsQuery{parent}).value();
  ASSERT_EQ(agents.size(), 2u);
  EXPECT_EQ(agents[0].uid, "claude_code:p/agent-2");  // in the order of their start
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
